import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { listCustomerBenefitGrants } from '@quittance/contracts/customer-benefit-grants'
import { listCustomerOrders, type CustomerOrder } from '@quittance/contracts/customer-portal'
import { getCustomerLicenseKey } from '@quittance/contracts/license-keys'
import { ApiFailure } from '@quittance/pages/call-api'
import { html, type Html } from '@quittance/pages/html'
import { webOrigin } from '@quittance/pages/page-headers'
import type { FastifyReply } from 'fastify'
import { contractLinks } from '../page/contract-links.ts'
import { maskEmail } from '../page/email-address.ts'
import type { AppOptions, PageContext } from '../page/page-context.ts'
import type { PageFrame } from '../page/page-frame.ts'
import { sendPage } from '../page/send-page.ts'
import { computeDueToday, createMoneyFormat } from './order-summary.ts'
import { sellerLink } from './result-pages.ts'
import type { Sale } from './sale-cookie.ts'

interface Success {
  checkout: CheckoutPublic
  context: PageContext
  sale: Sale | null
  options: Pick<AppOptions, 'api' | 'scripts'>
  /** The site around the page; null in its own window. */
  frame: PageFrame | null
}

/** What the buyer got; empty for a visitor without the session of the order. */
interface Purchase {
  order: CustomerOrder | null
  benefits: { description: string; note: string | null; key: string | null }[]
}

/** Sends the page of a paid order: what was bought, the keys, and the ways to invoice and account. */
export async function sendSuccess(success: Success, reply: FastifyReply): Promise<FastifyReply> {
  const { checkout, context, options, frame } = success
  const { result } = context.words
  const purchase = await loadPurchase(success)
  const money = createMoneyFormat(checkout.currency, context)
  const title = computeDueToday(checkout) > 0 ? result.paidTitle : result.freeTitle
  return sendPage(reply, {
    context,
    title,
    brand: checkout.organization.name,
    script: options.scripts.portal,
    frame,
    frameAncestor: webOrigin(checkout.embed_origin),
    body: html`<div class="card narrow stack">
      <h1>${title}</h1>
      <p class="row strong">
        <span><bdi>${checkout.product.name}</bdi></span>
        <span class="number">${money(computeDueToday(checkout))}</span>
      </p>
      ${checkout.customer_email && html`<p class="quiet">${result.orderFor(maskEmail(checkout.customer_email))}</p>`}
      ${benefitList(purchase, context)} ${nextSteps(success, purchase)}
      ${sellerLink(checkout.organization, context, { isBeside: frame !== null })}
      ${contractLinks({ slug: checkout.organization.slug, reference: purchase.order?.id ?? null, isBeside: frame !== null, context })}
    </div>`,
  })
}

/** Loads with the session of the order; a session that has ended only shortens the page. */
async function loadPurchase({ checkout, context, sale, options: { api } }: Success): Promise<Purchase> {
  if (!sale) return { order: null, benefits: [] }
  const call = { visitor: context.visitor, token: sale.sessionToken }
  try {
    const [orders, grants] = await Promise.all([
      api.call(listCustomerOrders, { limit: 10 }, call),
      api.call(listCustomerBenefitGrants, { limit: 10 }, call),
    ])
    const order = orders.items.find(({ checkout_id }) => checkout_id === checkout.id) ?? null
    const own = grants.items.filter(
      ({ order_id, subscription_id }) => order && (order_id === order.id || subscription_id === order.subscription_id),
    )
    const ids = own
      .flatMap(({ properties }) => (typeof properties['license_key_id'] === 'string' ? [properties['license_key_id']] : []))
      .slice(0, 4)
    const keys = await Promise.all(ids.map((id) => api.call(getCustomerLicenseKey, { id }, call)))
    return {
      order,
      benefits: own.map(({ benefit, properties }) => ({
        description: benefit.description,
        note: benefit.type === 'custom' ? benefit.properties.note : null,
        key: keys.find(({ id }) => id === properties['license_key_id'])?.key ?? null,
      })),
    }
  } catch (error) {
    if (error instanceof ApiFailure && error.status < 500) return { order: null, benefits: [] }
    throw error
  }
}

function benefitList({ benefits }: Purchase, context: PageContext): Html | null {
  const { result } = context.words
  if (benefits.length === 0) return null
  return html`<section class="stack-small" aria-labelledby="benefits">
    <h2 id="benefits">${result.benefits}</h2>
    <ul class="rows">
      ${benefits.map(
        ({ description, note, key }) =>
          html`<li class="stack-small">
            <p><bdi>${description}</bdi></p>
            ${note && html`<p class="quiet"><bdi>${note}</bdi></p>`} ${key && keyBox(key, context)}
          </li>`,
      )}
    </ul>
  </section>`
}

/** Renders a licence key; a script adds the button that copies it. */
export function keyBox(key: string, { words }: PageContext): Html {
  return html`<p class="keybox" data-key>
    <code>${key}</code>
    <button class="button plain" type="button" hidden data-copy="${words.common.copied}">${words.common.copy}</button>
  </p>`
}

/** The session moves into the cookie of the portal by a form, so that it is in no address. */
function nextSteps({ checkout, context, sale, frame }: Success, { order }: Purchase): Html {
  const { result } = context.words
  const { slug } = checkout.organization
  if (!sale)
    return html`<p class="actions"><a class="button" href="/${slug}/portal" ${frame && html`target="_blank"`}>${result.portal}</a></p>`
  return html`<form class="actions" method="post" action="/checkout/${checkout.client_secret}/portal" ${frame && html`target="_blank"`}>
    ${context.embedding?.sale && html`<input type="hidden" name="sale" value="${context.embedding.sale}" />`}
    <input type="hidden" name="locale" value="${context.language}" />
    ${
      order && order.total_amount > 0 && html`<button class="button primary" name="order" value="${order.id}">${result.getInvoice}</button>`
    }
    <button class="button">${result.portal}</button>
  </form>`
}
