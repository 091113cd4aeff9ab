export type RecurringInterval = 'month' | 'year'

/** How long a period is, and on which day of the month it begins where the month has that day. */
export interface Rhythm {
  interval: RecurringInterval
  anchorDay: number
}

/** End of the period that begins at `start`: the same time of day on the anchor day, or on the last day of a shorter month. In UTC. */
export function periodEnd(start: Date, { interval, anchorDay }: Rhythm): Date {
  return addMonths(start, { months: interval === 'month' ? 1 : 12, anchorDay })
}

/** The same time of day, so many calendar months later, on the anchor day or the last day of a shorter month. In UTC. */
export function addMonths(start: Date, { months, anchorDay }: { months: number; anchorDay: number }): Date {
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0)).getUTCDate()
  const end = new Date(start)
  end.setUTCDate(1)
  end.setUTCMonth(end.getUTCMonth() + months, Math.min(anchorDay, lastDay))
  return end
}
