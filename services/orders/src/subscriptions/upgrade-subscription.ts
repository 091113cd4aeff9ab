import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '@quittance/runtime/handler'
import { Discount } from '../catalog/discounts/discount.ts'
import { discountOn } from '../pricing/order-amounts.ts'
import { renewalJobName } from '../job-names.ts'
import type { Order } from '../orders/order.ts'
import { loadClock } from '../organizations/organization.ts'
import { Product, ProductPrice } from '../catalog/products/product.ts'
import { settlePendingProrations } from './final-order.ts'
import { findTaxBehavior } from './subscription-order-draft.ts'
import { syncBenefits } from './sync-benefits.ts'
import { Subscription } from './subscription.ts'
import type { PurchasedProduct } from './subscription-input.ts'
import type { RecurringInterval } from '../pricing/billing-period.ts'
import { isTerminal } from './subscription-status.ts'
import { publishSubscriptionChange } from './publish-subscription-change.ts'

/** The product that a free subscription changes to. */
export interface SubscriptionUpgrade extends PurchasedProduct {
  subscriptionId: string
}

/**
 * Turns a free subscription into the one its checkout paid for; its first paid period, which is that of the order, starts now. A subscription
 * that ended while the payment was in progress stays ended, and its payment is returned.
 */
export async function upgradeSubscription(
  context: Transaction,
  { upgrade: { subscriptionId: id, ...upgrade }, order }: { upgrade: SubscriptionUpgrade; order: Order },
): Promise<void> {
  const { em } = context
  const subscription = await em.findOneOrFail(Subscription, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (isTerminal(subscription.status)) return
  const clock = await loadClock(context, subscription.organizationId)
  const before = subscription.snapshot()
  const { recurringInterval } = await em.findOneOrFail(Product, upgrade.productId)
  const discount = upgrade.discountId ? await em.findOneOrFail(Discount, upgrade.discountId) : null
  await settleOtherTerms(subscription, { upgrade, context })
  if (subscription.cancelAtPeriodEnd) subscription.uncancel()
  if (subscription.status === 'unpaid') subscription.markPaid(clock)
  subscription.restart(recurringInterval as RecurringInterval, clock)
  order.setPeriod({ start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd })
  // What it owes from before is charged at once, with the method that paid.
  if (subscription.status === 'past_due') {
    subscription.dueAt = context.now
    context.wake(renewalJobName)
  }
  applyPurchase(subscription, { upgrade, amount: upgrade.priceAmount - discountOn(upgrade.priceAmount, discount?.rule() ?? null) })
  await em.flush()
  await syncBenefits(subscription, context)
  await publishSubscriptionChange(context, subscription, before)
}

/** Applies the purchased terms from the period that starts now. */
function applyPurchase(subscription: Subscription, { upgrade, amount }: { upgrade: PurchasedProduct; amount: bigint }): void {
  const discountFrom = upgrade.discountId ? subscription.currentPeriodStart : null
  Object.assign(subscription, upgrade, { amount, periodAmount: amount, pendingProductId: null, discountFrom })
}

/** Settles prorations of an earlier paid product in another currency or with another tax behavior: no later order could bill them. */
async function settleOtherTerms(
  subscription: Subscription,
  { upgrade, context }: { upgrade: PurchasedProduct; context: Transaction },
): Promise<void> {
  const { taxBehavior } = await context.em.findOneOrFail(ProductPrice, upgrade.productPriceId)
  const known = await findTaxBehavior(subscription, context.em)
  if (subscription.currency === upgrade.currency && (known === null || known === taxBehavior)) return
  await settlePendingProrations(subscription, context)
}
