import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { Product, type ProductPrice } from '../catalog/products/product.ts'
import { findMethod } from './charge-order.ts'
import { Proration, pendingProrations } from './prorations.ts'
import { findTaxBehavior, isTaxKnown } from './subscription-order-draft.ts'
import type { Subscription } from './subscription.ts'

interface Choice {
  productId: string
  context: Pick<Transaction, 'em' | 'sql'>
  /** By a session of the whole customer. */
  isChosenByCustomer: boolean
  /** From the next period on: the current one is not credited. */
  isPlanned?: boolean
}

/** Returns a product that the subscription can change to. Throws `RequestValidationError` otherwise. */
export async function chooseRecurringProduct(
  subscription: Subscription,
  { productId, context, isChosenByCustomer, isPlanned = false }: Choice,
): Promise<Product> {
  const { em, sql } = context
  const { organizationId, paymentToken } = subscription
  const product = await em.findOne(Product, { id: productId, organizationId, isArchived: false }, { populate: ['prices'] })
  if (!product) throw createProductIdError('Product does not exist or is archived.')
  if (!product.recurringInterval) throw createProductIdError('Product is not recurring.')
  const price = product.currentPrice()
  if (price.id === subscription.productPriceId)
    throw createProductIdError('The subscription already has this product at its current price.')
  if (price.amountType === 'custom') throw createProductIdError('The customer must choose the amount of this product.')
  const difference = await findOtherTerms(subscription, { price, em, credited: isPlanned ? 0n : subscription.periodAmount })
  if (difference) throw createProductIdError(difference)
  if (!price.priceAmount) return product
  if (subscription.priceAmount === 0n && !(await isTaxKnown(subscription, { productId, context }))) throw createUnknownTaxError()
  const method = await findMethod(sql, { subscription, isChosenByCustomer })
  if (!method && !paymentToken) throw createProductIdError('The customer has no payment method for this product.')
  // A customer who chooses a product with a price has it charged to the method that is shown.
  if (method && isChosenByCustomer) subscription.paymentMethodId = method.id
  return product
}

/**
 * An order has one currency and one tax behavior: while prorations of the old price are pending, or are about to be, the new price must match
 * it. Returns what does not.
 */
export async function findOtherTerms(
  { id, productPriceId, currency }: Subscription,
  { price, em, credited }: { price: ProductPrice; em: Transaction['em']; credited: bigint },
): Promise<string | null> {
  if (price.amountType === 'free') return null
  const isNothingLeft = credited === 0n && (await em.count(Proration, pendingProrations(id))) === 0
  if (isNothingLeft) return null
  if (price.priceCurrency !== currency) return `The price of the product is not in ${currency}.`
  const taxBehavior = await findTaxBehavior({ id, productPriceId }, em)
  return taxBehavior && price.taxBehavior !== taxBehavior ? `The price of the product is not ${taxBehavior} of tax.` : null
}

/**
 * Returns the product that is planned for the next period, and its price on that day. One that now has a price without a fixed amount, or one in
 * another currency than what is still to be billed, is dropped.
 */
export async function findPlannedProduct(
  subscription: Subscription,
  em: Transaction['em'],
): Promise<{ product: Product; price: ProductPrice } | null> {
  const { pendingProductId } = subscription
  if (!pendingProductId) return null
  const product = await em.findOneOrFail(Product, pendingProductId, { populate: ['prices'] })
  const price = product.currentPrice()
  if (price.amountType === 'custom' || (await findOtherTerms(subscription, { price, em, credited: 0n }))) return null
  return { product, price }
}

/** Removes a discount that does not apply to the new product, or not to its currency. */
export async function removeInapplicableDiscount(subscription: Subscription, { em }: Pick<Transaction, 'em'>): Promise<void> {
  const { discountId, productId, currency } = subscription
  const discount = discountId ? await em.findOneOrFail(Discount, discountId) : null
  if (!discount || discount.appliesTo({ productId, currency })) return
  subscription.discountId = null
  subscription.discountFrom = null
}

export function createProductIdError(message: string): RequestValidationError {
  return RequestValidationError.field(['product_id'], message)
}

function createUnknownTaxError(): RequestValidationError {
  const message =
    'The tax of this product depends on the billing address of the customer, which is missing or has no state. Set billing_address of the customer.'
  return RequestValidationError.field(['product_id'], message, 'missing_billing_address')
}
