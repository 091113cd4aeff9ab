import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { html, type Html } from '@quittance/pages/html'
import { webOrigin } from '@quittance/pages/page-headers'
import type { FastifyReply } from 'fastify'
import { frameAnywhere, sendNotice } from '../page/notice-page.ts'
import type { AppOptions, PageContext } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'
import { findFrame } from './checkout-frame.ts'

type Organization = CheckoutPublic['organization']

/**
 * Sends the page of a checkout that was not ordered in time. Its seller and origin are not known any more, so any site may show it in a frame: it
 * has no data and nothing to do but to close it.
 */
export function sendExpired(reply: FastifyReply, { context, options }: { context: PageContext; options: AppOptions }): FastifyReply {
  const { result } = context.words
  const notice = { status: 410, context, title: result.expiredTitle, body: html`<p>${result.expired}</p>` }
  return sendNotice(reply, { ...notice, ...frameAnywhere(context, options.scripts.portal) })
}

interface Rejection {
  reason: 'failed' | 'subscribed'
  checkout: CheckoutPublic
  context: PageContext
  options: AppOptions
}

/** Sends the page of a checkout that cannot be ordered: it has ended without a payment, or there is a subscription already. */
export function sendRejected(reply: FastifyReply, { reason, checkout, context, options }: Rejection): FastifyReply {
  const { result } = context.words
  const { organization, embed_origin } = checkout
  const frame = findFrame(checkout, { kind: 'ended', context })
  const title = reason === 'failed' ? result.failedTitle : result.subscribedTitle
  return sendPage(reply, {
    status: reason === 'failed' ? 200 : 403,
    context,
    title,
    brand: organization.name,
    script: frame && options.scripts.portal,
    frame,
    frameAncestor: webOrigin(embed_origin),
    body: html`<div class="card narrow stack">
      <h1>${title}</h1>
      <p>${reason === 'failed' ? result.failed : result.subscribed}</p>
      ${reason === 'subscribed' && html`<p class="actions"><a class="button primary" href="/${organization.slug}/portal" ${frame && html`target="_blank"`}>${result.portal}</a></p>`}
      ${sellerLink(organization, context, { isBeside: frame !== null })}
    </div>`,
  })
}

/** Links to the seller's site, if it is a web address; from a frame beside it. */
export function sellerLink({ name, website }: Organization, { words }: PageContext, { isBeside = false } = {}): Html | null {
  return webOrigin(website)
    ? html`<p><a href="${website}" rel="noreferrer" ${isBeside && html`target="_blank"`}>${words.result.toSeller(name)}</a></p>`
    : null
}
