import { html, type Html } from '@quittance/pages/html'
import { inlineStyle, renderPage, type InlineAsset } from '@quittance/pages/layout'
import { languages } from '@quittance/pages/locale'
import { pageHeaders } from '@quittance/pages/page-headers'
import type { FastifyReply } from 'fastify'
import type { PageContext } from './page-context.ts'
import { framePart, type PageFrame } from './page-frame.ts'
import type { ProviderScript } from './stripe-sources.ts'
import { storefrontStyles } from './storefront-styles.ts'

/** One page of the storefront. */
export interface StorefrontPage {
  status?: number
  context: PageContext
  title: string
  /** Name in the head of the page: the seller, or this software. */
  brand: string
  /** Content at the end of the head of the page. */
  tools?: Html | null
  body: Html
  script?: InlineAsset | null
  /** Form to which the language buttons belong, so that typed values stay; without one they load the page again. */
  languageForm?: LanguageForm | null
  /** Parameters of the address that stay if the page is loaded in another language; empty ones are omitted. */
  kept?: Readonly<Record<string, string>>
  /** Whether a form of the page may lead to the seller's site. */
  leadsElsewhere?: boolean
  frameAncestor?: string | null
  /** The site around the page; null in its own window. */
  frame?: PageFrame | null
  /** The payment provider whose script runs on the page. */
  provider?: ProviderScript | null
}

/** The form of a page. */
export interface LanguageForm {
  id: string
  /** `intent` of the Enter key in a field: browsers press the first button of a form, and those of the languages stand above its own. */
  enter: string
}

const style = inlineStyle(storefrontStyles)

/** Sends a page with the headers of its policy. */
export function sendPage(reply: FastifyReply, page: StorefrontPage): FastifyReply {
  const { status = 200, context, title, script = null, leadsElsewhere = false, frameAncestor = null, provider = null } = page
  const { language, dir, theme } = context
  reply.code(status).headers(pageHeaders({ style, script, leadsElsewhere, frameAncestor, provider: provider?.sources ?? null }))
  return reply.send(
    renderPage({ title, lang: language, dir, theme, style, script, providerScript: provider?.url ?? null, body: renderShell(page) }),
  )
}

function renderShell({ context, brand, tools, body, languageForm = null, frame = null, kept = {} }: StorefrontPage): Html {
  const { words, theme } = context
  // The other languages of a page in a frame are offered by its form only.
  const hasLanguages = !frame || languageForm !== null
  return html`<a class="skip" href="#content">${words.common.skip}</a>
    <div class="page">
      <header class="head">
        <p class="brand"><bdi>${brand}</bdi></p>
        <div class="tools">
          ${tools} ${hasLanguages && languageSwitch(context, { form: languageForm, kept: { ...(theme && { theme }), ...kept } })}
          ${frame && framePart(frame, context)}
        </div>
      </header>
      <main id="content" tabindex="-1">${body}</main>
      <footer class="foot">${words.common.poweredBy}</footer>
    </div>`
}

/** Buttons that name each language in itself. In a form they keep what was typed; elsewhere they load the page in the language. */
function languageSwitch(
  { language, words }: PageContext,
  { form, kept }: { form: LanguageForm | null; kept: Readonly<Record<string, string>> },
): Html {
  const buttons = Object.entries(languages).map(
    ([code, name]) =>
      html`<li>
        <button
          class="button plain"
          name="${form ? 'switch_locale' : 'locale'}"
          value="${code}"
          lang="${code}"
          ${form && html`form="${form.id}"`}
          ${code === language && html`aria-current="true"`}
        >
          ${name}
        </button>
      </li>`,
  )
  const list = html`<ul class="languages">
    ${buttons}
  </ul>`
  const hidden = Object.entries(kept).map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}" />`)
  const enter =
    form &&
    html`<button
      class="visually-hidden"
      type="submit"
      form="${form.id}"
      name="intent"
      value="${form.enter}"
      tabindex="-1"
      aria-hidden="true"
    ></button>`
  return html`${enter}
    <details class="language">
      <summary><span class="visually-hidden">${words.common.language}: </span>${languages[language]}</summary>
      ${form ? list : html`<form method="get">${hidden}${list}</form>`}
    </details>`
}
