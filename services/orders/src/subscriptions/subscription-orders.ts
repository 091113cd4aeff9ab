import type { Transaction } from '@quittance/runtime/handler'
import type { OrderDraftLine, OrderDraft } from '../orders/place-order.ts'
import { Product } from '../catalog/products/product.ts'
import { buildPeriodLines } from '../pricing/period-lines.ts'
import { buildSubscriptionOrderDraft, computeSubscriptionAmounts } from './subscription-order-draft.ts'
import type { Subscription } from './subscription.ts'
import { toBilledLines, toOrderLines, settleProrations, findPendingProrations, type Proration } from './prorations.ts'
import { Discount } from '../catalog/discounts/discount.ts'
import { discountOn } from '../pricing/order-amounts.ts'
import { computeCreditUsed, settleFinally } from '../pricing/product-change.ts'
import { isDiscountInEffect } from '../pricing/billing-period.ts'

/** An order draft, and what to record once its order exists. */
export interface SubscriptionBill {
  draft: OrderDraft
  settle(orderId: string): void
}

/** Builds the order draft of the current period: the price, less the discount, with the prorations of product changes. */
export async function buildPeriodBill(subscription: Subscription, context: Pick<Transaction, 'em' | 'sql'>): Promise<SubscriptionBill> {
  const { em } = context
  const { name } = await em.findOneOrFail(Product, subscription.productId)
  const { priceAmount: price, productPriceId } = subscription
  const discount = await applyPeriodDiscount(subscription, { em })
  const waiting = await findPendingProrations(subscription, em)
  const { lines: priced, credit } = buildPeriodLines({ price, discount, prorations: waiting.map(({ amount }) => amount) })
  const lines: OrderDraftLine[] = [{ label: name, productPriceId }, ...toOrderLines(waiting)]
  if (credit < 0n) lines.push({ label: 'Credit carried over to the next order', productPriceId: null, proration: true })
  return {
    draft: {
      ...(await buildSubscriptionOrderDraft(subscription, { em })),
      ...(await computeSubscriptionAmounts(subscription, { context, lines: priced, discount })),
      billingReason: 'subscription_cycle',
      lines,
      discountId: subscription.discountId ?? null,
      periodStart: subscription.currentPeriodStart,
      periodEnd: subscription.currentPeriodEnd,
      creditableAmount: subscription.periodAmount,
      creditUsedAmount: computeCreditUsed(waiting, credit),
    },
    settle: (orderId) => settleProrations(waiting, { em, orderId, credit }),
  }
}

/** Returns the discount on the price of the current period. Removes a discount that no longer applies and updates the amount. */
export async function applyPeriodDiscount(subscription: Subscription, { em }: Pick<Transaction, 'em'>): Promise<bigint> {
  const { discountId, discountFrom, currentPeriodStart, priceAmount, currency } = subscription
  const found = discountId && discountFrom ? await em.findOneOrFail(Discount, discountId) : null
  const discount = found?.hasCurrency(currency) ? found : null
  const reaches = discount && discountFrom && isDiscountInEffect(currentPeriodStart, { ...toDiscountTerm(discount), from: discountFrom })
  if (!reaches) {
    subscription.discountId = null
    subscription.discountFrom = null
  }
  const off = discountOn(priceAmount, reaches ? discount.rule() : null)
  subscription.amount = priceAmount - off
  subscription.periodAmount = priceAmount - off
  return off
}

function toDiscountTerm({ duration, durationInMonths }: Discount) {
  return { duration, durationInMonths }
}

/** Builds a separate order draft of the pending prorations; null if nothing is owed, which then waits for the next order. */
export async function buildProrationBill(
  subscription: Subscription,
  context: Pick<Transaction, 'em' | 'sql'>,
): Promise<SubscriptionBill | null> {
  const waiting = await findPendingProrations(subscription, context.em)
  if (settleFinally(waiting).kind !== 'bill') return null
  return billProrations(waiting, { subscription, context })
}

/** Builds an order draft of prorations, which together are owed. */
export async function billProrations(
  waiting: readonly Proration[],
  { subscription, context }: { subscription: Subscription; context: Pick<Transaction, 'em' | 'sql'> },
): Promise<SubscriptionBill> {
  const { em } = context
  const lines = toBilledLines(waiting)
  return {
    draft: {
      ...(await buildSubscriptionOrderDraft(subscription, { em })),
      ...(await computeSubscriptionAmounts(subscription, { context, lines, discount: 0n })),
      billingReason: 'subscription_update',
      lines: toOrderLines(lines),
      discountId: null,
      periodStart: null,
      periodEnd: null,
      creditUsedAmount: computeCreditUsed(waiting),
    },
    settle: (orderId) => settleProrations(waiting, { em, orderId, credit: 0n }),
  }
}
