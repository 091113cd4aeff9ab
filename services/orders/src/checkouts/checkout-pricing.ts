import type { Transaction } from '@quittance/runtime/handler'
import { parseTaxId } from '@quittance/runtime/tax-id'
import { Discount } from '../catalog/discounts/discount.ts'
import { orderAmounts } from '../pricing/order-amounts.ts'
import type { OrderDraft } from '../orders/place-order.ts'
import { ProductPrice, Product } from '../catalog/products/product.ts'
import { configuredRates } from '../catalog/taxes/tax-calculator.ts'
import type { Checkout } from './checkout.ts'
import { RequestValidationError } from '@quittance/contracts/errors'

/**
 * Computes the current amounts of a checkout: the price, less the discount, with the tax at the buyer's location. Throws
 * `RequestValidationError` if the tax id does not match the country of the billing address.
 */
export async function priceCheckout(
  checkout: Checkout,
  context: Pick<Transaction, 'em' | 'sql'>,
): Promise<Pick<OrderDraft, 'amounts' | 'taxBehavior'>> {
  const { em } = context
  const { organizationId, productId, priceAmount: amount, customerTaxId } = checkout
  const address = checkout.customerBillingAddress ?? null
  const taxId = customerTaxId ? parseTaxId(customerTaxId, { country: address?.country ?? null, field: 'customer_tax_id' }) : null
  checkout.customerTaxId = taxId?.[0] ?? null
  const { taxBehavior } = await em.findOneOrFail(ProductPrice, checkout.productPriceId)
  const discount = checkout.discountId ? await em.findOneOrFail(Discount, checkout.discountId) : null
  const sale = { organizationId, address, taxId, lines: [{ productId, amount }], needsState: true }
  const rates = await configuredRates.ratesFor(sale, context)
  const amounts = orderAmounts({ lines: [{ amount, rate: rates?.[0] ?? null }], discount: discount?.rule() ?? null, taxBehavior })
  // Nothing now may be followed by renewals at the full price, whose tax depends on the country.
  const { recurringInterval } = await em.findOneOrFail(Product, productId)
  const isFreeForGood = amounts.total === 0n && (recurringInterval === null || amount === 0n)
  checkout.applyAmounts(amounts, { isTaxKnown: rates !== null || isFreeForGood })
  return { amounts, taxBehavior }
}

/** The chosen product, given by its id or by its price (the older way). */
interface Choice {
  product_id?: string | null | undefined
  product_price_id?: string | null | undefined
  /** Amount the buyer wants to pay, in minor units, if the price allows it. */
  amount?: number | null | undefined
}

/** Chooses another offered product or another amount: applies the price and removes a discount that does not apply to it. */
export async function changeCheckoutProduct(context: Transaction, checkout: Checkout, choice: Choice): Promise<void> {
  const { em } = context
  const { product_id, product_price_id, amount } = choice
  if (!product_id && !product_price_id && !amount) return
  const offered = await em.find(Product, { id: { $in: checkout.productIds }, isArchived: false }, { populate: ['prices'] })
  const product = offered.find((each) => isChosen(each, checkout, choice))
  if (!product) {
    throw RequestValidationError.field(
      [product_id || !product_price_id ? 'product_id' : 'product_price_id'],
      'Product is not offered by this checkout.',
    )
  }
  checkout.chooseProduct(product, amount ? BigInt(amount) : null)
  await dropUnusableDiscount(context, checkout)
}

/** Removes a discount that does not apply to the product, has ended or was redeemed by others since: its total could not be confirmed. */
export async function dropUnusableDiscount({ em, now }: Transaction, checkout: Checkout): Promise<void> {
  const { discountId, productId, currency } = checkout
  if (!discountId) return
  const discount = await em.findOneOrFail(Discount, discountId)
  if (!discount.isRedeemable({ productId, currency, now })) checkout.applyDiscount(null)
}

function isChosen(product: Product, { productId }: Checkout, { product_id, product_price_id }: Choice): boolean {
  if (product_id || !product_price_id) return product.id === (product_id ?? productId)
  return product.currentPrice().id === product_price_id
}

const find = `
  select id from discounts
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and lower(code) = lower(:code) and deleted_at is null`

/** Finds a discount by its code, ignoring case. Throws `RequestValidationError` on `discount_code` if no discount has it. */
export async function findDiscountByCode(
  { em, sql }: Pick<Transaction, 'em' | 'sql'>,
  { checkout, code }: { checkout: Pick<Checkout, 'organizationId'>; code: string },
): Promise<Discount> {
  const [found] = await sql<{ id: string }>('discount.by-code', find, { organization_id: checkout.organizationId, code })
  if (!found) throw createUnusableDiscountError('discount_code')
  return em.findOneOrFail(Discount, found.id)
}

/** One message for an unknown code, another product, and a discount that is not yet or no longer valid. */
export function createUnusableDiscountError(field: 'discount_code' | 'discount_id'): RequestValidationError {
  return RequestValidationError.field([field], 'Discount does not exist or cannot be used.')
}
