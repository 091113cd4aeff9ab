import type { PricedLine } from './order-amounts.ts'

/** Charges of a period: its price, and the prorations of earlier product changes. */
export interface PeriodCharge {
  price: bigint
  /** Already computed; at most the price. */
  discount: bigint
  /** Positive or negative, after the discount of their time. */
  prorations: readonly bigint[]
  /** The provider does not take what is owed, so that the next order does. */
  isCarried?: boolean
}

/** Returns the lines of the order, the price first, and what is carried over to the next order: credit that exceeds it is negative. */
export function buildPeriodLines({ price, discount, prorations, isCarried = false }: PeriodCharge): {
  lines: Omit<PricedLine, 'rate'>[]
  carried: bigint
} {
  const owed = prorations.reduce((sum, amount) => sum + amount, price - discount)
  const carried = isCarried || owed < 0n ? owed : 0n
  const others = (carried === 0n ? prorations : [...prorations, -carried]).map((amount) => ({ amount, isDiscountable: false }))
  return { lines: [{ amount: price }, ...others], carried }
}
