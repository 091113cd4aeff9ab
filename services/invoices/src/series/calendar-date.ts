const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the date at a moment in a time zone (default: UTC) as `2026-12-31`. */
export function calendarDate(at: Date, timeZone = 'UTC'): string {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA-u-ca-iso8601', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    formats.set(timeZone, format)
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return [parts['year']?.padStart(4, '0'), parts['month'], parts['day']].join('-')
}

/** Returns the year at a moment in a time zone (default: UTC): that of the numbers issued then. */
export function calendarYear(at: Date, timeZone?: string): number {
  return Number(calendarDate(at, timeZone).slice(0, 4))
}
