import { RequestValidationError } from '@quittance/contracts/errors'

const duration = /^P(?:(\d+)W|(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?)$/

/** A hundred years of 365 days, in seconds. */
const longest = 3_153_600_000

/**
 * When a credential ends: seconds or an ISO 8601 duration from now, null for never. Years and months follow the calendar
 * (in UTC; 31 January and a month is the last day of February). Outside of one second to a hundred years it is a
 * `RequestValidationError` on `expires_in`.
 */
export function expiryOf(expiresIn: number | string | null, now: Date): Date | null {
  if (expiresIn === null) return null
  const end = typeof expiresIn === 'number' ? new Date(now.getTime() + expiresIn * 1000) : addDuration(expiresIn, now)
  const seconds = (end.getTime() - now.getTime()) / 1000
  if (seconds >= 1 && seconds <= longest) return end
  throw RequestValidationError.field(['expires_in'], 'Must be between one second and 100 years.')
}

function addDuration(text: string, now: Date): Date {
  const parts =
    duration
      .exec(text)
      ?.slice(1)
      .map((part) => Number(part?.replace(',', '.') ?? 0)) ?? []
  const [weeks = NaN, years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
  const moved = addMonths(now, years * 12 + months)
  return new Date(moved.getTime() + ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000)
}

function addMonths(date: Date, months: number): Date {
  const moved = new Date(date)
  moved.setUTCMonth(date.getUTCMonth() + months)
  if (moved.getUTCDate() !== date.getUTCDate()) moved.setUTCDate(0)
  return moved
}
