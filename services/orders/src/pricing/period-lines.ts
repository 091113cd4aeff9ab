import type { PricedLine } from './order-amounts.ts'

/** Charges of a period: its price, and the prorations of earlier product changes. */
export interface PeriodCharge {
  price: bigint
  /** Already computed; at most the price. */
  discount: bigint
  /** Positive or negative, after the discount of their time. */
  prorations: readonly bigint[]
}

/** Returns the lines of the order, the price first, and the credit that exceeds it: negative or zero, carried over to the next order. */
export function buildPeriodLines({ price, discount, prorations }: PeriodCharge): { lines: Omit<PricedLine, 'rate'>[]; credit: bigint } {
  const owed = prorations.reduce((sum, amount) => sum + amount, price - discount)
  const credit = owed < 0n ? owed : 0n
  const others = (credit < 0n ? [...prorations, -credit] : prorations).map((amount) => ({ amount, isDiscountable: false }))
  return { lines: [{ amount: price }, ...others], credit }
}
