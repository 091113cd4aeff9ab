import type { CheckoutPublic } from '@quittance/contracts/checkout'
import type { AppliedTax } from '@quittance/contracts/taxes'
import { formatDate } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import { formatMoney } from '@quittance/pages/money'
import type { PageContext } from '../page/page-context.ts'

/** Formats sums of one checkout or order. */
export function createMoneyFormat(currency: string, { locale }: PageContext): (amount: number) => string {
  return (amount) => formatMoney(amount, { currency, locale })
}

/** Names a tax with its rate: "VAT 19 %". */
export function nameTax({ name, percentage }: AppliedTax, { locale }: PageContext): Html {
  const format = new Intl.NumberFormat(locale, { numberingSystem: 'latn', style: 'percent', maximumFractionDigits: 4 })
  return html`<bdi>${name}</bdi> <span class="number">${format.format(percentage / 100)}</span>`
}

/** Renders price, discount, taxes and total. Inclusive prices are shown as advertised, and their tax as contained. */
export function summaryLines(checkout: CheckoutPublic, context: PageContext): Html {
  const { words } = context
  const money = createMoneyFormat(checkout.currency, context)
  const isInclusive = checkout.tax_behavior === 'inclusive'
  const sum = (amount: number) => html`<td class="number">${money(amount)}</td>`
  // Amounts of the API are without tax; these two lines are as advertised, and still add up to the total.
  const price = computeAdvertisedPrice(checkout)
  const discount = isInclusive ? price - checkout.total_amount : checkout.discount_amount
  const discountName = checkout.discount && describeDiscount(checkout.discount, context)
  return html`<table class="lines">
      <tbody>
        <tr>
          <th scope="row">${words.checkout.price}</th>
          ${sum(price)}
        </tr>
        ${
          discountName &&
          discount > 0 &&
          html`<tr>
            <th scope="row">${discountName}</th>
            ${sum(-discount)}
          </tr>`
        }
        ${isInclusive ? null : taxLines(checkout, { context, sum })}
        <tr class="total">
          <th scope="row">${checkout.product.is_recurring ? words.checkout.totalToday : words.checkout.total}</th>
          ${sum(computeDueToday(checkout))}
        </tr>
      </tbody>
    </table>
    ${isInclusive && checkout.taxes.map((tax) => html`<p class="quiet">${words.checkout.included} ${nameTax(tax, context)}: ${money(tax.amount)}</p>`)}
    ${checkout.taxes.some((tax) => tax.reverse_charge && tax.amount === 0) && html`<p class="quiet">${words.checkout.reverseCharge}</p>`}
    ${renewalLine(checkout, context)}`
}

function taxLines(checkout: CheckoutPublic, { context, sum }: { context: PageContext; sum: (amount: number) => Html }): Html | null {
  const { words } = context
  if (checkout.is_free_product_price) return null
  if (checkout.tax_amount === null) {
    return html`<tr>
      <th scope="row">${words.checkout.tax}</th>
      <td class="quiet">${words.checkout.taxDepends}</td>
    </tr>`
  }
  return html`${checkout.taxes.map(
    (tax) =>
      html`<tr>
        <th scope="row">${nameTax(tax, context)}</th>
        ${sum(tax.amount)}
      </tr>`,
  )}`
}

/** Returns the price without the discount, in minor units: with its tax if the price includes it. */
export function computeAdvertisedPrice(checkout: CheckoutPublic): number {
  const { tax_behavior, amount, price_amount, product_price: price, total_amount } = checkout
  if (tax_behavior !== 'inclusive') return amount
  // An earlier release of the API does not return the amount that a buyer chose; without a discount it is the total.
  return price_amount ?? (price.amount_type === 'fixed' ? price.price_amount : total_amount)
}

/** Names a discount, and how long it lasts. */
function describeDiscount(
  { name, duration, duration_in_months: months }: NonNullable<CheckoutPublic['discount']>,
  { words }: PageContext,
): Html {
  const reach = duration === 'repeating' && months ? words.checkout.discountMonths(months) : null
  return html`<bdi>${words.checkout.discount(name)}</bdi>${reach && html` <span class="quiet">${reach}</span>`}`
}

/** What is paid with the order, in minor units: nothing for a trial, whose price is that of the first period after it. */
export function computeDueToday({ trial_end, total_amount }: CheckoutPublic): number {
  return trial_end ? 0 : total_amount
}

function renewalLine(checkout: CheckoutPublic, context: PageContext): Html | null {
  const renewal = describeRenewal(checkout, context)
  const { checkout: words, trial } = context.words
  if (!renewal) return null
  const free = checkout.trial_end && trial.freeUntil(formatDate(checkout.trial_end, context.locale))
  return html`${free && html`<p class="quiet">${free}</p>`}
    <p class="quiet">${renewal.interval === 'month' ? words.thenEveryMonth(renewal.next) : words.thenEveryYear(renewal.next)}</p>
    ${renewal.discountEnd && html`<p class="quiet">${renewal.discountEnd}</p>`}`
}

/** What a subscription costs later. */
export interface Renewal {
  interval: 'month' | 'year'
  /** The sum, or the price and that tax is added: the tax of a later payment without the discount is not computed here. */
  sum: string
  /** The sum of the first period, with the discount. */
  first: string
  /** The sum of the renewals that come next: that of the first period while a discount of several periods lasts. */
  next: string
  /** When that discount ends, and what is paid then, as a sentence; null without one. */
  discountEnd: string | null
  /** Time of the first renewal, if the order is placed now. */
  at: Date
}

/** Returns when a subscription renews, and for which sum; null for a product that is bought once. */
export function describeRenewal(checkout: CheckoutPublic, context: PageContext): Renewal | null {
  const { recurring_interval: interval } = checkout.product
  if (!interval) return null
  const money = createMoneyFormat(checkout.currency, context)
  const months = interval === 'month' ? 1 : 12
  const periods = countDiscountedPeriods(checkout, months)
  const isDiscountLasting = periods === Infinity
  const price = computeAdvertisedPrice(checkout)
  // Nothing to pay now has a tax of 0 also where the tax is charged later.
  const isTaxed = checkout.tax_amount === null || checkout.taxes.some((tax) => !tax.reverse_charge && tax.percentage > 0)
  const isTaxAdded = checkout.tax_behavior !== 'inclusive' && isTaxed
  const later = isDiscountLasting ? checkout.total_amount : price
  const { words, locale } = context
  const isTaxMissing = isTaxAdded && (!isDiscountLasting || checkout.tax_amount === null)
  const sum = isTaxMissing ? words.checkout.plusTax(money(later)) : money(later)
  const first = describeFirst(checkout, context)
  const start = checkout.trial_end ? new Date(checkout.trial_end) : new Date()
  const discountEnd =
    periods > 1 && !isDiscountLasting
      ? words.checkout.discountEnds(formatDate(addMonths(start, periods * months).toISOString(), locale), sum)
      : null
  return { interval, sum, first, next: discountEnd ? first : sum, discountEnd, at: checkout.trial_end ? start : addMonths(start, months) }
}

/** A discount of more months counts as one without an end: it matters to no buyer, and could be beyond the range of dates. */
const endlessDiscountMonths = 1_200

/** Returns how many periods have the price of the first one: a discount covers each that begins before its months are over. */
function countDiscountedPeriods({ discount }: CheckoutPublic, months: number): number {
  if (!discount || discount.duration === 'forever') return Infinity
  const lasts = discount.duration === 'repeating' ? (discount.duration_in_months ?? 0) : 0
  return lasts > endlessDiscountMonths ? Infinity : Math.max(1, Math.ceil(lasts / months))
}

function describeFirst({ currency, tax_amount, total_amount }: CheckoutPublic, context: PageContext): string {
  const sum = createMoneyFormat(currency, context)(total_amount)
  return tax_amount === null ? context.words.checkout.plusTax(sum) : sum
}

/** Returns the same day some months later, or the last day of a shorter month, in UTC. */
function addMonths(start: Date, months: number): Date {
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0)).getUTCDate()
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, Math.min(start.getUTCDate(), lastDay)))
}
