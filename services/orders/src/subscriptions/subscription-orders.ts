import { formatAdjustmentLabel } from '@quittance/contracts/proration-label'
import type { Transaction } from '@quittance/runtime/handler'
import type { OrderDraftLine, OrderDraft } from '../orders/place-order.ts'
import { Product } from '../catalog/products/product.ts'
import { buildPeriodLines } from '../pricing/period-lines.ts'
import { acceptsCharge } from './charge-order.ts'
import { buildSubscriptionOrderDraft, computeSubscriptionAmounts } from './subscription-order-draft.ts'
import type { Subscription } from './subscription.ts'
import { carryCharge, toBilledLines, toOrderLines, settleProrations, findPendingProrations, type Proration } from './prorations.ts'
import { Discount } from '../catalog/discounts/discount.ts'
import { discountOn } from '../pricing/order-amounts.ts'
import { computeCreditUsed, settleFinally } from '../pricing/product-change.ts'
import { isDiscountInEffect } from '../pricing/billing-period.ts'

/** An order draft, and what to record once its order exists. */
export interface SubscriptionBill {
  draft: OrderDraft
  settle(orderId: string): void
}

/**
 * Builds the order draft of the current period: the price, less the discount, with the prorations of product changes. An amount that its
 * provider does not take, as a few cents, is carried over to the next order.
 */
export async function buildPeriodBill(subscription: Subscription, context: Pick<Transaction, 'em' | 'sql'>): Promise<SubscriptionBill> {
  const { em, sql } = context
  const { name } = await em.findOneOrFail(Product, subscription.productId)
  const { priceAmount: price, productPriceId } = subscription
  const discount = await applyPeriodDiscount(subscription, { em })
  const waiting = await findPendingProrations(subscription, em)
  const charge = { price, discount, prorations: waiting.map(({ amount }) => amount) }
  const compute = async (isCarried: boolean) => {
    const { lines, carried } = buildPeriodLines({ ...charge, isCarried })
    return { carried, ...(await computeSubscriptionAmounts(subscription, { context, lines, discount })) }
  }
  const whole = await compute(false)
  const isTaken = await acceptsCharge(sql, { subscription, amount: whole.amounts.total })
  const { carried, ...amounts } = isTaken ? whole : await compute(true)
  const credit = carried < 0n ? carried : 0n
  const lines: OrderDraftLine[] = [{ label: name, productPriceId }, ...toOrderLines(waiting)]
  if (credit < 0n) lines.push({ label: formatAdjustmentLabel('creditLeft'), productPriceId: null, proration: true })
  else if (carried > 0n) lines.push({ label: formatAdjustmentLabel('chargeLeft'), productPriceId: null, proration: true })
  return {
    draft: {
      ...(await buildSubscriptionOrderDraft(subscription, { em })),
      ...amounts,
      billingReason: 'subscription_cycle',
      lines,
      discountId: subscription.discountId ?? null,
      periodStart: subscription.currentPeriodStart,
      periodEnd: subscription.currentPeriodEnd,
      // What is not paid yet is not credited when the product changes.
      creditableAmount: carried > 0n ? 0n : subscription.periodAmount,
      creditUsedAmount: computeCreditUsed(waiting, credit),
    },
    settle(orderId) {
      settleProrations(waiting, { em, orderId, credit })
      if (carried > 0n) carryCharge(subscription, { em, label: name, amount: carried })
    },
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

/** Builds a separate order draft of the pending prorations; null if nothing is owed, or what is owed is not taken, which waits for the next order. */
export async function buildProrationBill(
  subscription: Subscription,
  context: Pick<Transaction, 'em' | 'sql'>,
): Promise<SubscriptionBill | null> {
  const waiting = await findPendingProrations(subscription, context.em)
  if (settleFinally(waiting).kind !== 'bill') return null
  const bill = await billProrations(waiting, { subscription, context })
  return (await acceptsCharge(context.sql, { subscription, amount: bill.draft.amounts.total })) ? bill : null
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
