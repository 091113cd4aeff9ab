import { LockMode } from '@mikro-orm/core'
import { Order } from '../orders/order.ts'
import { computeUnusedCredit, isChargePending } from '../pricing/product-change.ts'
import { placeOrder } from '../orders/place-order.ts'
import { ProductPrice } from '../catalog/products/product.ts'
import { buildPeriodBill, buildProrationBill } from './subscription-orders.ts'
import { chooseRecurringProduct, removeInapplicableDiscount } from './choose-product.ts'
import { isMoneyWithdrawn, isPaymentAwaited } from './owed-orders.ts'
import { prorate, type ProrationPoint, type RecurringInterval } from '../pricing/billing-period.ts'
import { applyAmount } from './period-amount.ts'
import { syncBenefits } from './sync-benefits.ts'
import { Proration, findPendingProrations, unbilled } from './prorations.ts'
import { collectPayment, type RenewalContext } from './renew-subscription.ts'
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
}

/**
 * Changes the product, now or with the next period. With the same interval, the rest of the period is prorated; with another, a new period
 * starts now. Returns the order that bills the change, if one does.
 */
export async function changeSubscriptionProduct(subscription: Subscription, change: ProductChange): Promise<Order | null> {
  const { context, clock, behavior, isChosenByCustomer } = change
  const { em } = context
  subscription.assertChangeable()
  if (await isPaymentAwaited(subscription, context)) throw createUpdatePendingError()
  // A trial has no paid time to credit: its product stays until it ends.
  const isPlanned = behavior === 'next_period' || subscription.status === 'trialing'
  const product = await chooseRecurringProduct(subscription, { productId: change.productId, context, isChosenByCustomer, isPlanned })
  if (isPlanned) {
    subscription.pendingProductId = product.id
    return null
  }
  const price = product.currentPrice()
  const period = { start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd, at: clock.now }
  const { productPriceId, periodAmount, priceAmount: priceBefore } = subscription
  if (behavior !== 'none') await creditUnusedTime(subscription, { period, context })
  subscription.applyPrice(price)
  await removeInapplicableDiscount(subscription, context)
  await syncBenefits(subscription, context)
  const isFirstPaid = priceBefore === 0n && subscription.priceAmount > 0n && behavior !== 'none'
  if (isFirstPaid || product.recurringInterval !== subscription.recurringInterval) {
    subscription.restart(product.recurringInterval as RecurringInterval, clock)
    await em.flush()
    const { draft, settle } = await buildPeriodBill(subscription, context)
    const order = await placeOrder(context, { ...draft, billingReason: 'subscription_update' })
    settle(order.id)
    await collectPayment(order, { subscription, ...change })
    return order
  }
  await applyAmount(subscription, context)
  if (behavior === 'none') {
    subscription.periodPriceId ??= productPriceId
    subscription.periodAmount = periodAmount
    return null
  }
  subscription.periodPriceId = null
  const amount = prorate(subscription.periodAmount, period)
  saveProration(subscription, { context, label: formatProrationLabel('remaining', product.name), amount, productPriceId: price.id })
  await em.flush()
  const bill = behavior === 'invoice' ? await buildProrationBill(subscription, context) : null
  if (!bill) return null
  const order = await placeOrder(context, { ...bill.draft, creditableAmount: amount })
  bill.settle(order.id)
  await collectPayment(order, { subscription, ...change })
  return order
}

/** Credits the rest of the period to the next order, and records on the order that billed it that this can no longer be refunded. */
async function creditUnusedTime(
  subscription: Subscription,
  { period, context }: { period: ProrationPoint; context: Transaction },
): Promise<void> {
  const { periodAmount } = subscription
  if (periodAmount === 0n) return
  const productPriceId = subscription.periodPriceId ?? subscription.productPriceId
  const isPending = isChargePending(await findPendingProrations(subscription, context.em), productPriceId)
  const billedBy = isPending ? null : await lockLastOrder(subscription, context.em)
  if (billedBy && (await isMoneyWithdrawn(billedBy, context))) return
  const credit = computeUnusedCredit({ period, periodAmount, billedBy })
  if (billedBy) billedBy.creditedAmount += credit
  const { product } = await context.em.findOneOrFail(ProductPrice, productPriceId, { populate: ['product'] })
  const label = formatProrationLabel('unused', product.name)
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
