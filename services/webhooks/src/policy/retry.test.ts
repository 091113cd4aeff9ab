import { describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../http/post-webhook.ts'
import { decideRetry, parseRetryAfter, retryDelayMs } from './retry.ts'

const schedule = [5, 300, 1800]
const now = new Date('2026-11-20T12:00:00Z')

describe('retryDelayMs', () => {
  test('returns the delay of the schedule, ±20 %', () => {
    expect(retryDelayMs({ schedule, attemptCount: 1, retryAfterMs: null, random: 0 })).toBe(4_000)
    expect(retryDelayMs({ schedule, attemptCount: 1, retryAfterMs: null, random: 0.5 })).toBe(5_000)
    expect(retryDelayMs({ schedule, attemptCount: 2, retryAfterMs: null, random: 1 })).toBe(360_000)
  })

  test('returns null after the last retry of the schedule', () => {
    expect(retryDelayMs({ schedule, attemptCount: 3, retryAfterMs: null, random: 0.5 })).toBe(1_800_000)
    expect(retryDelayMs({ schedule, attemptCount: 4, retryAfterMs: null, random: 0.5 })).toBeNull()
    expect(retryDelayMs({ schedule, attemptCount: 4, retryAfterMs: 1_000, random: 0.5 })).toBeNull()
  })

  test('returns a longer delay if the endpoint requests it, up to a day, and never a shorter one', () => {
    expect(retryDelayMs({ schedule, attemptCount: 1, retryAfterMs: 120_000, random: 0.5 })).toBe(120_000)
    expect(retryDelayMs({ schedule, attemptCount: 2, retryAfterMs: 1_000, random: 0.5 })).toBe(300_000)
    expect(retryDelayMs({ schedule, attemptCount: 1, retryAfterMs: 10 * 365 * 86_400_000, random: 0.5 })).toBe(86_400_000)
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
])('parses Retry-After %j as %j ms', (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected)
})

test.each([
  ['Fri Nov 20 12:02:00 2026', '2026-11-20T12:00:00Z'],
  ['Sun Nov  1 06:02:00 2026', '2026-11-01T06:00:00Z'],
])('parses the date %j as UTC in every time zone', (value, at) => {
  const configured = process.env['TZ']
  try {
    const waits = ['America/New_York', 'Asia/Kolkata', 'UTC'].map((zone) => {
      process.env['TZ'] = zone
      return parseRetryAfter(value, new Date(at))
    })
    expect(waits).toEqual([120_000, 120_000, 120_000])
  } finally {
    if (configured === undefined) delete process.env['TZ']
    else process.env['TZ'] = configured
  }
})

const common = { schedule: [5, 300], random: 0.5, now }
const createOutcome = (status: number, reason: AttemptOutcome['reason']): AttemptOutcome => ({
  status,
  reason,
  excerpt: '',
  retryAfter: null,
  durationMs: 10,
})

test('marks a delivery without a failure reason as succeeded', () => {
  expect(decideRetry({ ...common, outcome: createOutcome(204, null), attemptCount: 1 })).toEqual({ status: 'succeeded', waitMs: null })
})

test('schedules a retry of a failure until the schedule is exhausted', () => {
  expect(decideRetry({ ...common, outcome: createOutcome(500, 'http_status'), attemptCount: 2 })).toEqual({
    status: 'pending',
    waitMs: 300_000,
  })
  expect(decideRetry({ ...common, outcome: createOutcome(500, 'http_status'), attemptCount: 3 })).toEqual({
    status: 'failed',
    waitMs: null,
  })
})

test('does not retry after 410 Gone', () => {
  expect(decideRetry({ ...common, outcome: createOutcome(410, 'gone'), attemptCount: 1 })).toEqual({ status: 'failed', waitMs: null })
})

test('waits as long as the endpoint requests with Retry-After', () => {
  const outcome = { ...createOutcome(429, 'http_status'), retryAfter: '120' }
  expect(decideRetry({ ...common, outcome, attemptCount: 1 })).toEqual({ status: 'pending', waitMs: 120_000 })
})
