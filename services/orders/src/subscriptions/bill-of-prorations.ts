import type { Transaction } from '@quittance/runtime/handler'
import type { Bill } from './bill-of-period.ts'
import { saleOfSubscription } from './sale-of-subscription.ts'
import type { Subscription } from './subscription.ts'
import { taxedAmounts } from './taxed-amounts.ts'
import { asLines, settleProrations, waitingProrations } from './waiting-prorations.ts'

/** What changes of product left behind as an order of its own; null when nothing is owed, which then waits for the next order. */
export async function billOfProrations(subscription: Subscription, context: Pick<Transaction, 'em' | 'rows'>): Promise<Bill | null> {
  const { em } = context
  const waiting = await waitingProrations(subscription, em)
  const total = waiting.reduce((sum, { amount }) => sum + amount, 0n)
  if (total <= 0n) return null
  return {
    sale: {
      ...(await saleOfSubscription(subscription, { em })),
      ...(await taxedAmounts(subscription, { context, lines: waiting, discount: 0n })),
      billingReason: 'subscription_update',
      lines: asLines(waiting),
      discountId: null,
      periodStart: null,
      periodEnd: null,
    },
    settle: (orderId) => settleProrations(waiting, { em, orderId, credit: 0n }),
  }
}
