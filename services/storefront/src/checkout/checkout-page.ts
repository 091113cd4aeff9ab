import { randomUUID } from 'node:crypto'
import { errorSummary, textField } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import { webOrigin } from '@quittance/pages/page-headers'
import { contractLinks } from '../page/contract-links.ts'
import type { AppOptions } from '../page/page-context.ts'
import type { StorefrontPage } from '../page/send-page.ts'
import { buyerFields, type BuyerFields } from './buyer-fields.ts'
import { orderPart } from './order-button.ts'
import { computeDueToday, createMoneyFormat, summaryLines } from './order-summary.ts'
import { checkoutPath, findFrame } from './checkout-frame.ts'
import { findPaymentMethod, findProviderScript } from './payment-methods.ts'
import { productFields } from './product-fields.ts'

/** The form of an open checkout. */
export interface CheckoutPage extends BuyerFields {
  options: Pick<AppOptions, 'scripts' | 'stripe' | 'origin'>
  /** What happened, above the form. */
  notice?: string | null
  status?: number
}

/** Builds the page of an open checkout: one form, which works without scripts. */
export function buildCheckoutPage(page: CheckoutPage): StorefrontPage {
  const { checkout, errors, context, options, notice = null, status = 200 } = page
  const provider = checkout.is_payment_form_required ? findProviderScript(checkout, options) : null
  const { words } = context
  const title = words.checkout.title(checkout.product.name)
  return {
    status,
    context,
    title: errors.length > 0 || notice ? words.common.titleError(title) : title,
    brand: checkout.organization.name,
    script: provider ? options.scripts.stripeCheckout : options.scripts.checkout,
    provider,
    languageForm: { id: 'checkout', enter: 'update' },
    ...findTargets(checkout, options.origin),
    frame: findFrame(checkout, { kind: 'form', context }),
    body: html`<form
        id="checkout"
        class="checkout"
        method="post"
        action="/checkout/${checkout.client_secret}"
        data-address="${checkoutPath(checkout.client_secret, context)}"
        novalidate
        ${needsUpdate(page) && html`data-update`}
      >
        <input type="hidden" name="locale" value="${context.language}" />
        ${context.theme && html`<input type="hidden" name="theme" value="${context.theme}" />`}
        ${context.embedding && html`<input type="hidden" name="embed" value="true" />`}
        <input type="hidden" name="once" value="${randomUUID()}" />
        <div class="messages" data-live="messages">
          ${notice && html`<div class="notice bad" id="errors" role="alert" tabindex="-1" autofocus><p>${notice}</p></div>`}
          ${errorSummary(words.common.problem, errors)}
        </div>
        ${productFields(page)} ${summary(page)}
        <div class="card form">${buyerFields(page)} ${paymentPart(page)} ${orderPart(page)}</div>
        <div class="narrow-only stack">${sellerPart(page)}</div>
      </form>
      <p class="visually-hidden" role="status" id="announcement" data-total="${words.checkout.newTotal('{total}')}"></p>`,
  }
}

/** Whether the form has a country that the price does not know: it was chosen by the language of the visitor. */
function needsUpdate({ checkout, form }: CheckoutPage): boolean {
  return form.country !== null && checkout.customer_billing_address === null
}

/** Returns whether the order may lead to the seller's site, and who may show the page in a frame. */
export function findTargets(
  { success_url, embed_origin }: CheckoutPage['checkout'],
  ownOrigin: string,
): Pick<StorefrontPage, 'leadsElsewhere' | 'frameAncestor'> {
  const target = webOrigin(success_url)
  return { leadsElsewhere: target !== null && target !== ownOrigin, frameAncestor: webOrigin(embed_origin) }
}

/** Open beside the form; on a phone a line with the total, which stays in sight. */
function summary(page: CheckoutPage): Html {
  const { checkout, context } = page
  const money = createMoneyFormat(checkout.currency, context)
  const { words } = context
  return html`<details class="summary">
    <summary>
      <span>${checkout.product.is_recurring ? words.checkout.totalToday : words.checkout.total}</span>
      <span data-live="summary-total" class="number">${money(computeDueToday(checkout))}</span>
    </summary>
    <div class="summary-body stack">
      <div data-live="summary" class="stack-small">${summaryLines(checkout, context)}</div>
      ${discountPart(page)}
      <div class="wide-only stack">${sellerPart(page)}</div>
    </div>
  </details>`
}

/** Beside the form, and below it on a phone: there the summary is closed. */
function sellerPart({ checkout: { organization }, context }: CheckoutPage): Html {
  return html`${sellerLine(organization, context)} ${contractLinks({ slug: organization.slug, isBeside: true, context })}`
}

/** The code is behind a disclosure: an empty field sends buyers away to search for one. */
function discountPart({ checkout, form, errors, context }: CheckoutPage): Html | null {
  const { checkout: words } = context.words
  if (!checkout.allow_discount_codes || !checkout.is_discount_applicable) return null
  const error = errors.find(({ field }) => field === 'discount_code')?.message
  if (checkout.discount && !error) {
    const { name } = checkout.discount
    return html`<p data-live="discount">
      <button class="button plain" type="submit" name="intent" value="remove-discount">${words.remove(name)}</button>
    </p>`
  }
  return html`<details data-live="discount" ${(error || form.code) && html`open`}>
    <summary>${words.haveCode}</summary>
    <div class="inline-form">
      ${textField({ name: 'discount_code', label: words.code, value: form.code, maxlength: 256, error })}
      <button class="button" type="submit" name="intent" value="update">${words.apply}</button>
    </div>
  </details>`
}

function sellerLine({ name, website }: CheckoutPage['checkout']['organization'], { words }: CheckoutPage['context']): Html {
  const sold = html`<bdi>${words.common.soldBy(name)}</bdi>`
  return html`<p class="quiet">${webOrigin(website) ? html`<a href="${website}" rel="noreferrer" target="_blank">${sold}</a>` : sold}</p>`
}

function paymentPart({ checkout, form, errors, context }: CheckoutPage): Html {
  const { checkout: words } = context.words
  const error = errors.find(({ field }) => field === 'confirmation_token_id')?.message ?? null
  const method = findPaymentMethod(checkout)
  const part = method
    ? method.render({ payable: checkout, context, token: form.paymentToken, error })
    : html`<p class="notice">${words.cannotPay}</p>`
  return html`<div data-live="payment">
    ${
      checkout.is_payment_form_required &&
      html`<section class="section" aria-labelledby="payment">
        <h2 id="payment">${words.payment}</h2>
        ${part}
      </section>`
    }
  </div>`
}
