import { expect, test } from 'vitest'
import { addMonths, isDiscountInEffect, moveMonths, periodEnd, trialEnd, type RecurringInterval } from './billing-period.ts'

function periods(first: string, { interval, count }: { interval: RecurringInterval; count: number }): string[] {
  const anchorDay = new Date(first).getUTCDate()
  const starts = [new Date(first)]
  while (starts.length <= count) starts.push(periodEnd(starts.at(-1) as Date, { interval, anchorDay }))
  return starts.map((start) => start.toISOString().slice(0, 10))
}

test('a month-end subscription renews on the last day and returns to its anchor day', () => {
  expect(periods('2026-01-31T09:30:00Z', { interval: 'month', count: 4 })).toEqual([
    '2026-01-31',
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
    '2026-05-31',
  ])
})

test('yearly periods repeat, and a leap day returns in leap years', () => {
  expect(periods('2026-12-15T23:59:59Z', { interval: 'month', count: 1 })).toEqual(['2026-12-15', '2027-01-15'])
  expect(periods('2024-02-29T00:00:00Z', { interval: 'year', count: 4 })).toEqual([
    '2024-02-29',
    '2025-02-28',
    '2026-02-28',
    '2027-02-28',
    '2028-02-29',
  ])
})

test('keeps the time of day to the millisecond', () => {
  const start = new Date('2026-03-30T21:22:23.456Z')
  expect(addMonths(start, { months: 11, anchorDay: 30 }).toISOString()).toBe('2027-02-28T21:22:23.456Z')
})

test.each([
  { at: '2026-01-31', from: '2026-02-28', to: '2026-08-20', moved: '2026-07-20' },
  { at: '2026-01-31', from: '2026-01-31', to: '2026-08-20', moved: '2026-08-20' },
  { at: '2025-12-10', from: '2026-02-05', to: '2026-03-31', moved: '2026-02-28' },
  { at: '2026-05-01', from: '2026-04-01', to: '2026-08-20', moved: '2026-09-20' },
])('$at before $from moves to as many whole months before $to', ({ at, from, to, moved }) => {
  expect(moveMonths(new Date(at), { from: new Date(from), to: new Date(to) })).toEqual(new Date(moved))
})

test('every period has a positive length, from every day of four years', () => {
  for (let day = Date.UTC(2024, 0, 1); day < Date.UTC(2028, 0, 1); day += 86_400_000) {
    const start = new Date(day)
    const end = periodEnd(start, { interval: 'month', anchorDay: start.getUTCDate() })
    const days = (end.getTime() - day) / 86_400_000
    expect(days).toBeGreaterThanOrEqual(28)
    expect(days).toBeLessThanOrEqual(31)
  }
})

const from = new Date('2026-01-31T12:00:00Z')

function reached(term: { duration: 'once' | 'forever' | 'repeating'; durationInMonths?: number }, interval: 'month' | 'year' = 'month') {
  let start = from
  return Array.from({ length: 6 }, () => {
    const covered = isDiscountInEffect(start, { ...term, from })
    start = periodEnd(start, { interval, anchorDay: 31 })
    return covered
  })
}

test('once applies to one order, forever to every order', () => {
  expect(reached({ duration: 'once' })).toEqual([true, false, false, false, false, false])
  expect(reached({ duration: 'forever' })).toEqual([true, true, true, true, true, true])
})

test('three months apply to three monthly orders, also across a short February', () => {
  expect(reached({ duration: 'repeating', durationInMonths: 3 })).toEqual([true, true, true, false, false, false])
})

test('thirteen months apply to the first two yearly orders', () => {
  expect(reached({ duration: 'repeating', durationInMonths: 12 }, 'year').slice(0, 3)).toEqual([true, false, false])
  expect(reached({ duration: 'repeating', durationInMonths: 13 }, 'year').slice(0, 3)).toEqual([true, true, false])
})

test('the longest duration applies to every order', () => {
  expect(reached({ duration: 'repeating', durationInMonths: 2_147_483_647 })).toEqual([true, true, true, true, true, true])
})

test.each(['once', 'forever', 'repeating'] as const)('a discount of duration %s lowers no order before its first period', (duration) => {
  expect(isDiscountInEffect(new Date(from.getTime() - 1), { duration, durationInMonths: 3, from })).toBe(false)
})

test.each([
  [10, 'day', '2026-02-10T12:00:00.000Z'],
  [2, 'week', '2026-02-14T12:00:00.000Z'],
  [1, 'month', '2026-02-28T12:00:00.000Z'],
  [3, 'month', '2026-04-30T12:00:00.000Z'],
  [2, 'year', '2028-01-31T12:00:00.000Z'],
] as const)('a trial of %i times a %s ends at the same time of day', (...[count, interval, end]) => {
  expect(trialEnd(from, { interval, count }).toISOString()).toBe(end)
})
