import { LockMode } from '@mikro-orm/core'
import { Discount } from '../catalog/discounts/discount.ts'
import { Order } from '../orders/order.ts'
import { discountOn } from '../pricing/order-amounts.ts'
import { computeUnusedCredit, isChargePending } from '../pricing/product-change.ts'
import { placeOrder } from '../orders/place-order.ts'
import type { ProductPrice } from '../catalog/products/product.ts'
import { Product } from '../catalog/products/product.ts'
import { buildPeriodBill, buildProrationBill } from './subscription-orders.ts'
import { findTaxBehavior } from './subscription-order-draft.ts'
import { isDiscountInEffect, prorate, type ProrationPoint, type RecurringInterval } from '../pricing/billing-period.ts'
import { syncBenefits } from './sync-benefits.ts'
import { Proration, findPendingProrations, pendingProrations, unbilled } from './prorations.ts'
import { collectPayment, type RenewalContext } from './renew-subscription.ts'
import type { Subscription } from './subscription.ts'
import { createUpdatePendingError } from './subscription-status.ts'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'

interface ProductChange extends RenewalContext {
  productId: string
  /** `invoice` bills the difference now, `prorate` with the next order. */
  behavior: 'invoice' | 'prorate'
}

/** Changes the product now. With the same interval, the rest of the period is prorated; with another, a new period starts now. */
export async function changeSubscriptionProduct(subscription: Subscription, change: ProductChange): Promise<void> {
  const { context, clock } = change
  const { em } = context
  subscription.assertChangeable()
  if ((await em.count(Order, { subscriptionId: subscription.id, status: 'pending' })) > 0) throw createUpdatePendingError()
  const product = await chooseRecurringProduct(subscription, { productId: change.productId, em })
  const period = { start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd, at: clock.now }
  await creditUnusedTime(subscription, { period, context })
  const price = product.currentPrice()
  subscription.applyPrice(price)
  await removeInapplicableDiscount(subscription, { product, change })
  await syncBenefits(subscription, context)
  if (product.recurringInterval !== subscription.recurringInterval) {
    subscription.restart(product.recurringInterval as RecurringInterval, clock)
    await em.flush()
    const { draft, settle } = await buildPeriodBill(subscription, context)
    const order = await placeOrder(context, { ...draft, billingReason: 'subscription_update' })
    settle(order.id)
    return collectPayment(order, { subscription, ...change })
  }
  await applyAmount(subscription, change)
  const amount = prorate(subscription.periodAmount, period)
  saveProration(subscription, { context, label: `Remaining time of ${product.name}`, amount, productPriceId: price.id })
  await em.flush()
  const bill = change.behavior === 'invoice' ? await buildProrationBill(subscription, context) : null
  if (!bill) return
  const order = await placeOrder(context, { ...bill.draft, creditableAmount: amount })
  bill.settle(order.id)
  await collectPayment(order, { subscription, ...change })
}

/** Credits the rest of the period to the next order, and records on the order that billed it that this can no longer be refunded. */
async function creditUnusedTime(
  subscription: Subscription,
  { period, context }: { period: ProrationPoint; context: Transaction },
): Promise<void> {
  const { periodAmount, productPriceId } = subscription
  if (periodAmount === 0n) return
  const isPending = isChargePending(await findPendingProrations(subscription, context.em), productPriceId)
  const billedBy = isPending ? null : await lockLastOrder(subscription, context.em)
  const credit = computeUnusedCredit({ period, periodAmount, billedBy })
  if (billedBy) billedBy.creditedAmount += credit
  const label = 'Unused time of the previous product'
  saveProration(subscription, { context, label, amount: -credit, productPriceId, creditedOrderId: billedBy?.id ?? null })
}

/** Returns the order that billed the current product, unless its charge is pending. */
function lockLastOrder({ id }: Subscription, em: Transaction['em']): Promise<Order> {
  return em.findOneOrFail(
    Order,
    { subscriptionId: id },
    { orderBy: { createdAt: 'desc', id: 'desc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  )
}

interface Difference {
  context: RenewalContext['context']
  label: string
  amount: bigint
  productPriceId: string
  creditedOrderId?: string | null
}

function saveProration({ id, organizationId }: Subscription, { context, ...difference }: Difference): void {
  if (difference.amount === 0n) return
  context.em.create(Proration, { creditedOrderId: null, ...difference, organizationId, subscriptionId: id, ...unbilled })
}

/** Removes a discount that does not apply to the new product, or not to its currency. */
async function removeInapplicableDiscount(
  subscription: Subscription,
  { product, change }: { product: Product; change: ProductChange },
): Promise<void> {
  const discount = subscription.discountId ? await change.context.em.findOneOrFail(Discount, subscription.discountId) : null
  if (!discount || discount.appliesTo({ productId: product.id, currency: subscription.currency })) return
  subscription.discountId = null
  subscription.discountFrom = null
}

/** Sets the cost of later periods, and what the current one would have cost. */
async function applyAmount(subscription: Subscription, { context }: ProductChange): Promise<void> {
  const { discountId, discountFrom, currentPeriodStart, priceAmount: whole } = subscription
  const discount = discountId ? await context.em.findOneOrFail(Discount, discountId) : null
  const net = whole - discountOn(whole, discount?.rule() ?? null)
  const term = discount && { duration: discount.duration, durationInMonths: discount.durationInMonths }
  subscription.amount = net
  subscription.periodAmount = term && discountFrom && isDiscountInEffect(currentPeriodStart, { ...term, from: discountFrom }) ? net : whole
}

/** Returns a product that the subscription can change to. Throws `RequestValidationError` otherwise. */
export async function chooseRecurringProduct(
  subscription: Subscription,
  { productId, em }: { productId: string; em: Transaction['em'] },
): Promise<Product> {
  const { organizationId } = subscription
  const product = await em.findOne(Product, { id: productId, organizationId, isArchived: false }, { populate: ['prices'] })
  if (!product) throw createProductIdError('Product does not exist or is archived.')
  if (!product.recurringInterval) throw createProductIdError('Product is not recurring.')
  if (product.id === subscription.productId) throw createProductIdError('The subscription already has this product.')
  const price = product.currentPrice()
  if (price.amountType === 'custom') throw createProductIdError('The customer must choose the amount of this product.')
  await assertSameAmountTerms(subscription, { price, em })
  if (price.priceAmount && !subscription.paymentToken && !subscription.paymentMethodId)
    throw createProductIdError('The customer has no payment method for this product.')
  return product
}

/** An order has one currency and one tax behavior: while prorations of the old price are pending, the new price must match it. */
async function assertSameAmountTerms(
  { id, productPriceId, periodAmount, currency }: Subscription,
  { price, em }: { price: ProductPrice; em: Transaction['em'] },
): Promise<void> {
  if (price.amountType === 'free') return
  const isNothingLeft = periodAmount === 0n && (await em.count(Proration, pendingProrations(id))) === 0
  if (isNothingLeft) return
  if (price.priceCurrency !== currency) throw createProductIdError(`The price of the product is not in ${currency}.`)
  const taxBehavior = await findTaxBehavior({ id, productPriceId }, em)
  if (taxBehavior && price.taxBehavior !== taxBehavior) throw createProductIdError(`The price of the product is not ${taxBehavior} of tax.`)
}

function createProductIdError(message: string): RequestValidationError {
  return RequestValidationError.field(['product_id'], message)
}
