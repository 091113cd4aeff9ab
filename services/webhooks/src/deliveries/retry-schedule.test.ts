import { describe, expect, test } from 'vitest'
import { readRetryAfter, retryDelayMs } from './retry-schedule.ts'

const schedule = [5, 300, 1800]
const now = new Date('2026-11-20T12:00:00Z')

describe('the wait before a retry', () => {
  test('is the schedule’s, 20 % more or less', () => {
    expect(retryDelayMs({ schedule, tries: 1, askedMs: null, random: 0 })).toBe(4_000)
    expect(retryDelayMs({ schedule, tries: 1, askedMs: null, random: 0.5 })).toBe(5_000)
    expect(retryDelayMs({ schedule, tries: 2, askedMs: null, random: 1 })).toBe(360_000)
  })

  test('ends with the schedule: one try more than it has waits', () => {
    expect(retryDelayMs({ schedule, tries: 3, askedMs: null, random: 0.5 })).toBe(1_800_000)
    expect(retryDelayMs({ schedule, tries: 4, askedMs: null, random: 0.5 })).toBeNull()
    expect(retryDelayMs({ schedule, tries: 4, askedMs: 1_000, random: 0.5 })).toBeNull()
  })

  test('is longer when the endpoint asks for it, up to a day, and never shorter', () => {
    expect(retryDelayMs({ schedule, tries: 1, askedMs: 120_000, random: 0.5 })).toBe(120_000)
    expect(retryDelayMs({ schedule, tries: 2, askedMs: 1_000, random: 0.5 })).toBe(300_000)
    expect(retryDelayMs({ schedule, tries: 1, askedMs: 10 * 365 * 86_400_000, random: 0.5 })).toBe(86_400_000)
  })
})

test.each([
  ['120', 120_000],
  ['Fri, 20 Nov 2026 12:02:00 GMT', 120_000],
  ['Friday, 20-Nov-26 12:02:00 GMT', 120_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', null],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['Sunny', null],
  ['', null],
  [null, null],
])('Retry-After %j asks for %j ms', (value, expected) => {
  expect(readRetryAfter(value, now)).toBe(expected)
})
