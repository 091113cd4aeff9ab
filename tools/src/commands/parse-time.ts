import { UsageError } from '../cli/command.ts'

/** A day, or a time with its offset. `new Date` also reads `5` as a month of 2001. */
const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a time: `2026-11-22T03:00:00Z`, or an age: `90s`, `15m`, `2h`, `7d`. */
export function parseTime(option: string, { text, now }: { text: string; now: Date }): Date {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const moment = count
    ? new Date(now.getTime() - Number(count) * (units[unit] as number))
    : new Date(isoTime.test(text) ? text : Number.NaN)
  // NATS rejects a year before 1 only after a replay has deleted the consumer.
  if (!(moment.getTime() >= 0)) throw new UsageError(`${option} must be a time like 2026-11-22T03:00:00Z or 15m, not "${text}".`)
  // The server treats a future time as the beginning of the stream.
  if (moment > now) throw new UsageError(`${option}: ${moment.toISOString()} is in the future.`)
  return moment
}

export function parseCount(option: string, { text, max }: { text: string; max: number }): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > max) throw new UsageError(`${option} must be a whole number from 1 to ${max}, not "${text}".`)
  return count
}
