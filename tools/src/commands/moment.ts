import { UsageError } from './command.ts'

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `2026-11-22T03:00:00Z`, or how long ago: `90s`, `15m`, `2h`, `7d`. */
export function readMoment(option: string, { text, now }: { text: string; now: Date }): Date {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const moment = count ? new Date(now.getTime() - Number(count) * (units[unit] as number)) : new Date(text)
  if (Number.isNaN(moment.getTime())) throw new UsageError(`${option} is a time like 2026-11-22T03:00:00Z or 15m, not "${text}".`)
  // The server takes a time to come for the beginning of the stream.
  if (moment > now) throw new UsageError(`${option}: ${moment.toISOString()} is yet to come.`)
  return moment
}

export function readCount(option: string, { text, most }: { text: string; most: number }): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > most) throw new UsageError(`${option} is a whole number from 1 to ${most}, not "${text}".`)
  return count
}
