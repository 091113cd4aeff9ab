import { expect, test } from 'vitest'
import { addMonths, periodEnd, type RecurringInterval } from './subscription-period.ts'

function periods(first: string, { interval, count }: { interval: RecurringInterval; count: number }): string[] {
  const anchorDay = new Date(first).getUTCDate()
  const starts = [new Date(first)]
  while (starts.length <= count) starts.push(periodEnd(starts.at(-1) as Date, { interval, anchorDay }))
  return starts.map((start) => start.toISOString().slice(0, 10))
}

test('a subscription of the last day of a month is renewed on the last day, and returns to its day', () => {
  expect(periods('2026-01-31T09:30:00Z', { interval: 'month', count: 4 })).toEqual([
    '2026-01-31',
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
    '2026-05-31',
  ])
})

test('years go round, and a leap day comes back with its year', () => {
  expect(periods('2026-12-15T23:59:59Z', { interval: 'month', count: 1 })).toEqual(['2026-12-15', '2027-01-15'])
  expect(periods('2024-02-29T00:00:00Z', { interval: 'year', count: 4 })).toEqual([
    '2024-02-29',
    '2025-02-28',
    '2026-02-28',
    '2027-02-28',
    '2028-02-29',
  ])
})

test('the time of day stays to the millisecond', () => {
  const start = new Date('2026-03-30T21:22:23.456Z')
  expect(addMonths(start, { months: 11, anchorDay: 30 }).toISOString()).toBe('2027-02-28T21:22:23.456Z')
})

test('every period has length, from every day of four years', () => {
  for (let day = Date.UTC(2024, 0, 1); day < Date.UTC(2028, 0, 1); day += 86_400_000) {
    const start = new Date(day)
    const end = periodEnd(start, { interval: 'month', anchorDay: start.getUTCDate() })
    const days = (end.getTime() - day) / 86_400_000
    expect(days).toBeGreaterThanOrEqual(28)
    expect(days).toBeLessThanOrEqual(31)
  }
})
