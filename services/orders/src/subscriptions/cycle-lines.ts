import type { PricedLine } from '../orders/order-amounts.ts'

/** What a period costs, and what earlier changes of product add to it or take from it. */
export interface Cycle {
  price: bigint
  /** Already computed; never more than the price. */
  discount: bigint
  /** Positive or negative, after the discount they came with. */
  prorations: readonly bigint[]
}

/** Lines of the order, the price first, and the credit that is too large for it: negative or zero, kept for the next. */
export function cycleLines({ price, discount, prorations }: Cycle): { lines: Omit<PricedLine, 'rate'>[]; credit: bigint } {
  const owed = prorations.reduce((sum, amount) => sum + amount, price - discount)
  const credit = owed < 0n ? owed : 0n
  const others = (credit < 0n ? [...prorations, -credit] : prorations).map((amount) => ({ amount, isDiscountable: false }))
  return { lines: [{ amount: price }, ...others], credit }
}
