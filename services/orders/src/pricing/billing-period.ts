import { divideRounded } from './rounding.ts'

export type RecurringInterval = 'month' | 'year'

/** Length of a period, and the day of the month on which it starts if the month has that day. */
export interface BillingCadence {
  interval: RecurringInterval
  anchorDay: number
}

/**
 * Returns the end of the period that starts at `start`: the same time of day on the anchor day, or on the last day of a shorter month. In
 * UTC.
 */
export function periodEnd(start: Date, { interval, anchorDay }: BillingCadence): Date {
  return addMonths(start, { months: interval === 'month' ? 1 : 12, anchorDay })
}

/** Returns the same time of day this many calendar months later, on the anchor day or the last day of a shorter month. In UTC. */
export function addMonths(start: Date, { months, anchorDay }: { months: number; anchorDay: number }): Date {
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0)).getUTCDate()
  const end = new Date(start)
  end.setUTCDate(1)
  end.setUTCMonth(end.getUTCMonth() + months, Math.min(anchorDay, lastDay))
  return end
}

/** Returns the time that is as many whole months before `to` as `at` is before `from`. */
export function moveMonths(at: Date, { from, to }: { from: Date; to: Date }): Date {
  const calendar = (from.getUTCFullYear() - at.getUTCFullYear()) * 12 + from.getUTCMonth() - at.getUTCMonth()
  const months = addMonths(at, { months: calendar, anchorDay: at.getUTCDate() }) > from ? calendar - 1 : calendar
  return addMonths(to, { months: -months, anchorDay: to.getUTCDate() })
}

/** Length of a trial. */
export interface Trial {
  interval: 'day' | 'week' | 'month' | 'year'
  count: number
}

/** The trial of a product. */
export interface OfferedTrial extends Trial {
  /** It begins once a payment method is stored, which is charged at its end. */
  needsMethod: boolean
}

const dayMs = 86_400_000

/** Returns the end of the trial that starts at `start`: at the same time of day, in UTC. */
export function trialEnd(start: Date, { interval, count }: Trial): Date {
  if (interval === 'day' || interval === 'week') return new Date(start.getTime() + count * (interval === 'week' ? 7 : 1) * dayMs)
  return addMonths(start, { months: count * (interval === 'year' ? 12 : 1), anchorDay: start.getUTCDate() })
}

/** A period and a time in it. */
export interface ProrationPoint {
  start: Date
  end: Date
  at: Date
}

/** Returns the part of an amount for the rest of the period; all of it before the period, nothing after. */
export function prorate(amount: bigint, { start, end, at }: ProrationPoint): bigint {
  const whole = BigInt(end.getTime() - start.getTime())
  const left = BigInt(end.getTime() - at.getTime())
  if (left <= 0n) return 0n
  return left >= whole ? amount : divideRounded(amount * left, whole)
}

/** Duration of a discount. */
export interface DiscountTerm {
  duration: 'once' | 'forever' | 'repeating'
  durationInMonths?: number | null | undefined
}

/** A thousand years. A discount of more months ends as late: its end could be beyond the range of dates. */
export const maxDiscountMonths = 12_000

/** Returns whether a discount lowers the order of the period that starts at `periodStart`; `from` is the first period it lowers. */
export function isDiscountInEffect(periodStart: Date, { duration, durationInMonths, from }: DiscountTerm & { from: Date }): boolean {
  if (periodStart < from) return false
  if (duration === 'forever') return true
  if (duration === 'once') return periodStart.getTime() === from.getTime()
  return periodStart < addMonths(from, { months: Math.min(durationInMonths ?? 0, maxDiscountMonths), anchorDay: from.getUTCDate() })
}
