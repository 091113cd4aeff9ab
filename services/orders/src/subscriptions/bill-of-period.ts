import type { Transaction } from '@quittance/runtime/handler'
import type { Line, Sale } from '../orders/place-order.ts'
import { Product } from '../products/product.ts'
import { cycleLines } from './cycle-lines.ts'
import { discountOfPeriod } from './discount-of-period.ts'
import { saleOfSubscription } from './sale-of-subscription.ts'
import type { Subscription } from './subscription.ts'
import { taxedAmounts } from './taxed-amounts.ts'
import { asLines, settleProrations, waitingProrations } from './waiting-prorations.ts'

/** A sale, and what is to be noted once its order exists. */
export interface Bill {
  sale: Sale
  settle(orderId: string): void
}

/** What the order of the current period is made of: the price, less the discount, with what changes of product left behind. */
export async function billOfPeriod(subscription: Subscription, context: Pick<Transaction, 'em' | 'rows'>): Promise<Bill> {
  const { em } = context
  const { name } = await em.findOneOrFail(Product, subscription.productId)
  const { priceAmount: price, productPriceId } = subscription
  const discount = await discountOfPeriod(subscription, { em })
  const waiting = await waitingProrations(subscription, em)
  const { lines: priced, credit } = cycleLines({ price, discount, prorations: waiting.map(({ amount }) => amount) })
  const lines: Line[] = [{ label: name, productPriceId }, ...asLines(waiting)]
  if (credit < 0n) lines.push({ label: 'Credit kept for the next order', productPriceId: null, proration: true })
  return {
    sale: {
      ...(await saleOfSubscription(subscription, { em })),
      ...(await taxedAmounts(subscription, { context, lines: priced, discount })),
      billingReason: 'subscription_cycle',
      lines,
      discountId: subscription.discountId ?? null,
      periodStart: subscription.currentPeriodStart,
      periodEnd: subscription.currentPeriodEnd,
    },
    settle: (orderId) => settleProrations(waiting, { em, orderId, credit }),
  }
}
