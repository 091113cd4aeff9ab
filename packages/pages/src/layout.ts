import { createHash } from 'node:crypto'
import { html, Html } from './html.ts'

/** A style sheet or script inside the page, and the hash by which the policy of the page allows it. */
export interface InlineAsset {
  element: Html
  /** Source expression for the policy. */
  hash: string
}

/** Creates the element of a style sheet. It must be used as it is: the hash covers every byte. */
export function inlineStyle(css: string): InlineAsset {
  return { element: new Html(`<style>${css}</style>`), hash: hashSource(css) }
}

/** Creates the element of a script; the text must not contain an end tag. */
export function inlineScript(javascript: string): InlineAsset {
  if (/<\/script/i.test(javascript)) throw new Error('The script contains an end tag of script elements')
  return { element: new Html(`<script type="module">${javascript}</script>`), hash: hashSource(javascript) }
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Content of a page. */
export interface PageContent {
  title: string
  /** BCP 47. */
  lang: string
  dir: 'ltr' | 'rtl'
  body: Html
  style: InlineAsset
  script?: InlineAsset | null
  /** Address of a script of a payment provider, which the policy of the page allows. */
  providerScript?: string | null
  theme?: 'light' | 'dark' | null
}

/** Renders a whole page. It runs no script except its own, and one of a payment provider where the page takes payments. */
export function renderPage({ title, lang, dir, body, style, script, providerScript, theme }: PageContent): string {
  return html`<!doctype html>
    <html lang="${lang}" dir="${dir}" ${theme && html`data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${style.element} ${providerScript && html`<script src="${providerScript}" async data-provider></script>`}
      </head>
      <body>
        ${body} ${script?.element}
      </body>
    </html>`.text
}
