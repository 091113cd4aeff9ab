import { divideRounded } from '../orders/rounding.ts'

/** A period and a moment in it. */
export interface MomentInPeriod {
  start: Date
  end: Date
  at: Date
}

/** The part of an amount that falls on the rest of the period; all of it before the period, nothing after. */
export function restOfPeriod(amount: bigint, { start, end, at }: MomentInPeriod): bigint {
  const whole = BigInt(end.getTime() - start.getTime())
  const left = BigInt(end.getTime() - at.getTime())
  if (left <= 0n) return 0n
  return left >= whole ? amount : divideRounded(amount * left, whole)
}
