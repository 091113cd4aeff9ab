import { addMonths } from './subscription-period.ts'

/** What of a discount says how long it lasts. */
export interface DiscountTerm {
  duration: 'once' | 'forever' | 'repeating'
  durationInMonths?: number | null | undefined
}

/** Whether a discount lowers the order of the period that begins at `periodStart`; `from` is the first period it lowers. */
export function discountReaches(periodStart: Date, { duration, durationInMonths, from }: DiscountTerm & { from: Date }): boolean {
  if (periodStart < from) return false
  if (duration === 'forever') return true
  if (duration === 'once') return periodStart.getTime() === from.getTime()
  return periodStart < addMonths(from, { months: durationInMonths ?? 0, anchorDay: from.getUTCDate() })
}
