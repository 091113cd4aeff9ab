import type { OrderAmounts } from '../orders/order-amounts.ts'

/** What a period costs, and what earlier changes of product add to it or take from it. */
export interface Cycle {
  price: bigint
  /** Already computed; never more than the price. */
  discount: bigint
  /** Positive or negative, after the discount they came with. */
  prorations: readonly bigint[]
}

/** The amounts of the order, and the credit that is too large for it: negative or zero, kept for the next. */
export function cycleAmounts({ price, discount, prorations }: Cycle): { amounts: OrderAmounts; credit: bigint } {
  const owed = prorations.reduce((sum, amount) => sum + amount, price)
  const subtotal = owed < discount ? discount : owed
  const net = subtotal - discount
  return { amounts: { subtotal, discount, net, tax: 0n, total: net }, credit: owed - subtotal }
}
