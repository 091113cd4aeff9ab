import type { Transaction } from '@quittance/runtime/handler'
import type { Line, Sale } from '../orders/place-order.ts'
import { Product } from '../products/product.ts'
import { ProductPrice } from '../products/product-price.ts'
import { cycleAmounts } from './cycle-amounts.ts'
import { discountOfPeriod } from './discount-of-period.ts'
import { saleOfSubscription } from './sale-of-subscription.ts'
import type { Subscription } from './subscription.ts'
import { asLines, settleProrations, waitingProrations } from './waiting-prorations.ts'

/** A sale, and what is to be noted once its order exists. */
export interface Bill {
  sale: Sale
  settle(orderId: string): void
}

/** What the order of the current period is made of: the price, less the discount, with what changes of product left behind. */
export async function billOfPeriod(subscription: Subscription, { em }: Pick<Transaction, 'em'>): Promise<Bill> {
  const { name } = await em.findOneOrFail(Product, subscription.productId)
  const { priceAmount } = await em.findOneOrFail(ProductPrice, subscription.productPriceId)
  const price = priceAmount ?? 0n
  const discount = await discountOfPeriod(subscription, { em, price })
  const waiting = await waitingProrations(subscription, em)
  const { amounts, credit } = cycleAmounts({ price, discount, prorations: waiting.map(({ amount }) => amount) })
  const lines: Line[] = [{ label: name, amount: price, productPriceId: subscription.productPriceId }, ...asLines(waiting)]
  if (credit < 0n) lines.push({ label: 'Credit kept for the next order', amount: -credit, productPriceId: null, proration: true })
  return {
    sale: {
      ...(await saleOfSubscription(subscription, { em })),
      billingReason: 'subscription_cycle',
      amounts,
      lines,
      discountId: subscription.discountId ?? null,
      periodStart: subscription.currentPeriodStart,
    },
    settle: (orderId) => settleProrations(waiting, { em, orderId, credit }),
  }
}
