import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { isInEuropeanEconomicArea } from '@quittance/pages/countries'
import { formatDate } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import { legalLinks } from '../page/legal-links.ts'
import type { PageContext } from '../page/page-context.ts'
import { canConsent } from './buyer-changes.ts'
import type { CheckoutForm } from './checkout-form.ts'
import { computeDueToday, createMoneyFormat, describeRenewal, type Renewal } from './order-summary.ts'

interface OrderPart {
  checkout: CheckoutPublic
  form: CheckoutForm
  context: PageContext
}

/** Renders what stands directly above the order button, and the button: product, total, and what a subscription costs later. */
export function orderPart(part: OrderPart): Html {
  const { checkout, context } = part
  const { words } = context
  const money = createMoneyFormat(checkout.currency, context)
  const renewal = describeRenewal(checkout, context)
  const total = money(computeDueToday(checkout))
  return html`<div class="before-order">
    <div data-live="total" class="stack-small">
      <p class="row">
        <span><bdi>${checkout.product.name}</bdi></span>
        <span class="number">${renewal ? words.checkout.totalToday : words.checkout.total} ${total}</span>
      </p>
      ${renewal && renewalTerms(renewal, { total, checkout, context })}
      <input type="hidden" name="expected_total_amount" value="${checkout.total_amount}" />
    </div>
    ${legalLinks(checkout.organization, context)}
    <div data-live="consent">${consentBox(part)}</div>
    <button class="button without-scripts" type="submit" name="intent" value="update">${words.checkout.update}</button>
    <button class="button primary wide" type="submit" name="intent" value="order" data-live="button">${nameOrderButton(part)}</button>
  </div>`
}

interface Terms {
  /** What is paid with the order. */
  total: string
  checkout: CheckoutPublic
  context: PageContext
}

/** What a subscription costs later, and what a trial costs. */
function renewalTerms({ interval, at, first, next, discountEnd }: Renewal, { total, checkout, context }: Terms): Html {
  const { checkout: words, trial } = context.words
  const date = formatDate(at.toISOString(), context.locale)
  if (!checkout.trial_end)
    return html`<p class="quiet">${(interval === 'month' ? words.renewsMonthly : words.renewsYearly)(total, date, next)} ${discountEnd}</p>`
  const [charged, then] = interval === 'month' ? [trial.chargedMonthly, trial.thenMonthly] : [trial.chargedYearly, trial.thenYearly]
  if (checkout.is_payment_form_required) return html`<p class="quiet">${charged(first, date, next)} ${discountEnd}</p>`
  return html`<p class="quiet">${trial.ends(date)} ${then(first, date, next)} ${discountEnd}</p>`
}

/** Not ticked, and never required: the order is placed either way, and keeps the moment of the consent. */
function consentBox({ checkout, form, context }: OrderPart): Html | null {
  if (!canConsent(checkout, form)) return null
  return html`<label class="check">
    <input type="checkbox" name="immediate_access_consent" value="yes" ${form.hasConsented && html`checked`} />
    <span>${context.words.declaration.consent}</span>
  </label>`
}

/**
 * Returns the words of the button that orders. Where something has to be paid, now or later, buyers in the EU and the EEA get the words of
 * Art. 8(2) of Directive 2011/83/EU and nothing else: only the button counts (C-249/21), and later payments count too (C-400/22).
 */
export function nameOrderButton({ checkout, form, context }: OrderPart): string {
  const { checkout: words } = context.words
  // A trial without a payment method costs if the buyer chooses one later: an obligation under a condition has the words too.
  if (!checkout.is_payment_form_required && !checkout.trial_end) return words.confirm
  if (isInEuropeanEconomicArea(form.country)) return words.orderEea
  if (checkout.trial_end) return context.words.trial.start
  const money = createMoneyFormat(checkout.currency, context)
  const renewal = describeRenewal(checkout, context)
  if (!renewal) return words.pay(money(checkout.total_amount))
  return checkout.total_amount > 0 ? words.subscribe(money(checkout.total_amount)) : words.subscribe(renewal.sum)
}
