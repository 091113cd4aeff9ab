import { html, type Html } from '@quittance/pages/html'
import type { InlineAsset } from '@quittance/pages/layout'
import type { FastifyReply } from 'fastify'
import { sellerLink } from '../checkout/result-pages.ts'
import { maskEmail } from '../page/email-address.ts'
import { contractLinks } from '../page/contract-links.ts'
import { legalLinks } from '../page/legal-links.ts'
import { sendPage } from '../page/send-page.ts'
import type { ProviderScript } from '../page/stripe-sources.ts'
import type { PortalSession } from './portal-session.ts'

interface PortalPage {
  title: string
  body: Html
  script: InlineAsset
  /** The payment provider whose script runs on the page. */
  provider?: ProviderScript | null
  status?: number
  /** False on the overview, which is where the link leads. */
  hasWayBack?: boolean
  /** Whether the body links to the withdrawal from the contract that the page is about. */
  linksToWithdrawal?: boolean
  /** Parameters of the address that stay if the page is loaded in another language. */
  kept?: Readonly<Record<string, string>>
}

/** Sends a page of the portal. It states whose account it is, and offers to sign out. */
export function sendPortalPage(reply: FastifyReply, session: PortalSession, page: PortalPage): FastifyReply {
  const { context, organization, customer, path, returnUrl } = session
  const { words } = context
  const { title, body, script, provider = null, status = 200, hasWayBack = true, linksToWithdrawal = false, kept = {} } = page
  return sendPage(reply, {
    status,
    context,
    title: `${title} – ${organization.name}`,
    brand: organization.name,
    script,
    provider,
    kept,
    tools: html`<form class="signed-in" method="post" action="${path}/sign-out">
      <input type="hidden" name="locale" value="${context.language}" />
      <span class="quiet" title="${words.portal.signedInAs(maskEmail(customer.email))}">${maskEmail(customer.email)}</span>
      <button class="button plain">${words.portal.signOut}</button>
    </form>`,
    body: html`<div class="middle stack">
      ${hasWayBack && html`<p class="crumbs"><a href="${path}?locale=${context.language}">${words.portal.overview}</a></p>`} ${body}
      ${sellerLink({ ...organization, website: returnUrl ?? organization.website }, context)}
      ${contractLinks({ slug: organization.slug, hasWithdrawal: !linksToWithdrawal, context })} ${legalLinks(organization, context)}
    </div>`,
  })
}

/** Renders a state as a word in a shape. */
export function badge(kind: 'good' | 'warn' | 'bad' | 'quiet', word: string): Html {
  const marks = { good: '✓', warn: '…', bad: '!', quiet: '–' }
  return html`<span class="badge ${kind}"><span aria-hidden="true">${marks[kind]}</span> ${word}</span>`
}
