import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { minPriceAmount } from '@quittance/contracts/money'
import { fieldError, textField } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import { formatMoney, formatTypedMoney } from '@quittance/pages/money'
import type { PageContext } from '../page/page-context.ts'
import type { BuyerFields } from './buyer-fields.ts'
import { chosenPrice, describeLimits } from './needed-fields.ts'
import { computeAdvertisedPrice } from './order-summary.ts'

type Product = CheckoutPublic['products'][number]
type Price = CheckoutPublic['product_price']

/** Renders what is bought: name, price and description, the choice between products and the amount that a buyer chooses. */
export function productFields(fields: BuyerFields): Html {
  const { checkout, context } = fields
  const { product } = checkout
  return html`<section class="product stack" aria-labelledby="product">
    <div data-live="product" class="stack-small">
      <h1 id="product"><bdi>${product.name}</bdi></h1>
      <p class="price">${describeProductPrice(product, { price: checkout.product_price, context })}</p>
      ${product.description && html`<p class="description" tabindex="0"><bdi>${product.description}</bdi></p>`}
      ${
        product.benefits.length > 0 &&
        html`<ul class="stack-small">
          ${product.benefits.map(({ description }) => html`<li>✓ <bdi>${description}</bdi></li>`)}
        </ul>`
      }
    </div>
    ${productChoice(fields)}
    <div data-live="amount" data-live-field>${amountField(fields)}</div>
  </section>`
}

function productChoice({ checkout, form, errors, context }: BuyerFields): Html {
  const offered = checkout.products.filter(({ is_archived }) => !is_archived)
  const error = errors.find(({ field }) => field === 'product_id')?.message
  const message = fieldError('product_id', error)
  const described = error ? html`aria-describedby="field-product_id-error"` : null
  if (offered.length < 2) {
    const unchanged = html`<input type="hidden" name="product_id" value="${checkout.product_id}" />`
    if (!error) return unchanged
    // Nothing is left to choose: the link of the error summary leads to the message.
    return html`<div data-live-field>
      <div id="product-choice" role="group" aria-labelledby="product" ${described}>${unchanged}</div>
      <div id="field-product_id" tabindex="-1">${message}</div>
    </div>`
  }
  const chosen = offered.some(({ id }) => id === form.productId) ? form.productId : checkout.product_id
  return html`<div data-live-field>
    <fieldset id="product-choice" ${described}>
      <legend>${context.words.checkout.product}</legend>
      ${offered.map(
        (product, index) =>
          html`<label class="choice">
            <input
              type="radio"
              name="product_id"
              value="${product.id}"
              ${index === 0 && html`id="field-product_id"`}
              ${product.id === chosen && html`checked`}
            />
            <span><bdi>${product.name}</bdi></span>
            <span class="quiet"
              >${describeProductPrice(product, { price: product.prices.find((price) => !price.is_archived), context })}</span
            >
          </label>`,
      )}
    </fieldset>
    ${message}
  </div>`
}

function amountField({ checkout, form, errors, context }: BuyerFields): Html | null {
  const price = chosenPrice(form, checkout)
  if (price?.amount_type !== 'custom') return null
  const format = { currency: price.price_currency, locale: context.locale }
  const isChosen = form.productId === checkout.product_id
  const preset = price.preset_amount ?? price.minimum_amount ?? minPriceAmount
  const current = formatTypedMoney(isChosen ? computeAdvertisedPrice(checkout) : preset, format)
  return textField({
    name: 'amount',
    label: html`${context.words.checkout.amount} <span class="quiet">(${price.price_currency.toUpperCase()})</span>`,
    value: form.amount ?? current,
    inputmode: 'decimal',
    maxlength: 20,
    isRequired: true,
    hint: describeLimits(price, context),
    error: errors.find(({ field }) => field === 'amount')?.message,
  })
}

/** Describes a price with its interval: "$49.00 a year". */
export function describeProductPrice(
  { recurring_interval }: Product,
  { price, context }: { price: Price | undefined; context: PageContext },
): string {
  const { checkout: words } = context.words
  if (!price || price.amount_type === 'free') return words.free
  const format = (amount: number) => formatMoney(amount, { currency: price.price_currency, locale: context.locale })
  const sum = price.amount_type === 'fixed' ? format(price.price_amount) : describeLimits(price, context).replace(/[.。।]$/u, '')
  if (price.amount_type === 'custom' || !recurring_interval) return sum
  return recurring_interval === 'month' ? words.everyMonth(sum) : words.everyYear(sum)
}
