import { LockMode } from '@mikro-orm/core'
import { Order } from '../orders/order.ts'
import { computeUnusedCredit, isChargePending } from '../pricing/product-change.ts'
import { payOrder, placeOrder } from '../orders/place-order.ts'
import { type Product, ProductPrice } from '../catalog/products/product.ts'
import { buildPeriodBill, buildProrationBill } from './subscription-orders.ts'
import { chargeOrder, maxRepeatableDeclines } from './charge-order.ts'
import { chooseRecurringProduct, createProductIdError, removeInapplicableDiscount } from './choose-product.ts'
import { isMoneyWithdrawn, isPaymentAwaited } from './owed-orders.ts'
import { prorate, type ProrationPoint, type RecurringInterval } from '../pricing/billing-period.ts'
import { applyAmount } from './period-amount.ts'
import { syncBenefits } from './sync-benefits.ts'
import { Proration, findPendingProrations, unbilled } from './prorations.ts'
import type { RenewalContext } from './renew-subscription.ts'
import { readTerms, storeUnpaidChange, type ProductTerms } from './unpaid-change.ts'
import type { Subscription } from './subscription.ts'
import { createUpdatePendingError } from './subscription-status.ts'
import type { ProrationBehavior } from '@quittance/contracts/subscription-changes'
import { formatProrationLabel } from '@quittance/contracts/proration-label'
import type { Transaction } from '@quittance/runtime/handler'

interface ProductChange extends RenewalContext {
  productId: string
  /** `invoice` bills the difference now, `prorate` with the next order, `none` never; `next_period` changes nothing until then. */
  behavior: ProrationBehavior
  /** By a session of the whole customer: the default method may be charged. */
  isChosenByCustomer: boolean
  /** The caller itself makes the calls of a charge until then; otherwise a job does. */
  leasedUntil?: Date
}

/**
 * Changes the product, now or with the next period. With the same interval, the rest of the period is prorated; with another, a new period
 * starts now. Returns the order that bills the change, if one does.
 */
export async function changeSubscriptionProduct(subscription: Subscription, change: ProductChange): Promise<Order | null> {
  const { context, behavior, isChosenByCustomer } = change
  subscription.assertChangeable()
  if (await isPaymentAwaited(subscription, context)) throw createUpdatePendingError()
  // A trial has no paid time to credit: its product stays until it ends.
  const isPlanned = behavior === 'next_period' || subscription.status === 'trialing'
  const product = await chooseRecurringProduct(subscription, { productId: change.productId, context, isChosenByCustomer, isPlanned })
  if (isPlanned) {
    subscription.pendingProductId = product.id
    return null
  }
  const terms = readTerms(subscription)
  const applied = await applyProduct(subscription, { ...change, product })
  if (!applied) {
    await syncBenefits(subscription, context)
    return null
  }
  await chargeAtOnce(subscription, { ...change, ...applied, terms })
  return applied.order
}

interface AppliedChange {
  order: Order
  /** Those that the change created. */
  prorations: readonly Proration[]
}

/** Returns the order that bills the change, if one does. */
async function applyProduct(
  subscription: Subscription,
  { product, behavior, context, clock }: ProductChange & { product: Product },
): Promise<AppliedChange | null> {
  const { em } = context
  const period = { start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd, at: clock.now }
  const { productPriceId, periodAmount, priceAmount: priceBefore } = subscription
  const unused = behavior === 'none' ? [] : await creditUnusedTime(subscription, { period, context })
  const price = product.currentPrice()
  subscription.applyPrice(price)
  await removeInapplicableDiscount(subscription, context)
  const isFirstPaid = priceBefore === 0n && subscription.priceAmount > 0n && behavior !== 'none'
  if (isFirstPaid || product.recurringInterval !== subscription.recurringInterval) {
    subscription.restart(product.recurringInterval as RecurringInterval, clock)
    await em.flush()
    const { draft, settle } = await buildPeriodBill(subscription, context)
    const order = await placeOrder(context, { ...draft, billingReason: 'subscription_update' })
    settle(order.id)
    return { order, prorations: unused }
  }
  await applyAmount(subscription, context)
  if (behavior === 'none') {
    subscription.periodPriceId ??= productPriceId
    subscription.periodAmount = periodAmount
    return null
  }
  subscription.periodPriceId = null
  const amount = prorate(subscription.periodAmount, period)
  const label = formatProrationLabel('remaining', product.name)
  const remaining = saveProration(subscription, { context, label, amount, productPriceId: price.id })
  await em.flush()
  const bill = behavior === 'invoice' ? await buildProrationBill(subscription, context) : null
  if (!bill) return null
  const order = await placeOrder(context, { ...bill.draft, creditableAmount: amount })
  bill.settle(order.id)
  return { order, prorations: [...unused, ...remaining] }
}

/**
 * Charges the order of a change, and stores the terms before it until the payment, with which the benefits change too: a buyer whose payments
 * fail after days would have them for nothing. Throws `RequestValidationError` if no method can be charged.
 */
async function chargeAtOnce(
  subscription: Subscription,
  { order, prorations, terms, context, clock, leasedUntil }: ProductChange & AppliedChange & { terms: ProductTerms },
): Promise<void> {
  if (order.totalAmount === 0n) {
    await payOrder(context, order)
    subscription.markPaid(clock)
    await syncBenefits(subscription, context)
    return
  }
  const charge = { order, subscription, maxDeclines: maxRepeatableDeclines, ...(leasedUntil && { leasedUntil }) }
  if (!(await chargeOrder(context, charge)))
    throw createProductIdError('The change is charged at once, and no payment method of the customer can be charged.')
  storeUnpaidChange(subscription, { order, terms, prorations, em: context.em })
}

/** Credits the rest of the period to the next order, and records on the order that billed it that this can no longer be refunded. */
async function creditUnusedTime(
  subscription: Subscription,
  { period, context }: { period: ProrationPoint; context: Transaction },
): Promise<Proration[]> {
  const { periodAmount } = subscription
  if (periodAmount === 0n) return []
  const productPriceId = subscription.periodPriceId ?? subscription.productPriceId
  const isPending = isChargePending(await findPendingProrations(subscription, context.em), productPriceId)
  const billedBy = isPending ? null : await lockLastOrder(subscription, context.em)
  if (billedBy && (billedBy.voidedAt || (await isMoneyWithdrawn(billedBy, context)))) return []
  const credit = computeUnusedCredit({ period, periodAmount, billedBy })
  if (billedBy) billedBy.creditedAmount += credit
  const { product } = await context.em.findOneOrFail(ProductPrice, productPriceId, { populate: ['product'] })
  const label = formatProrationLabel('unused', product.name)
  return saveProration(subscription, { context, label, amount: -credit, productPriceId, creditedOrderId: billedBy?.id ?? null })
}

/** Returns the order that billed the current product, unless its charge is pending. That of a change that was undone billed none. */
function lockLastOrder({ id }: Subscription, em: Transaction['em']): Promise<Order> {
  return em.findOneOrFail(
    Order,
    { subscriptionId: id, $or: [{ voidedAt: null }, { billingReason: { $ne: 'subscription_update' } }] },
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

/** Returns the proration; none of nothing. */
function saveProration({ id, organizationId }: Subscription, { context, ...difference }: Difference): Proration[] {
  if (difference.amount === 0n) return []
  return [context.em.create(Proration, { creditedOrderId: null, ...difference, organizationId, subscriptionId: id, ...unbilled })]
}
