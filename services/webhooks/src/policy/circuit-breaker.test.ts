import { describe, expect, test } from 'vitest'
import type { AttemptOutcome } from '../http/post-webhook.ts'
import { CircuitBreaker, isEndpointFailure } from './circuit-breaker.ts'

const outcome = (status: number | null, reason: AttemptOutcome['reason']): AttemptOutcome => ({
  status,
  reason,
  excerpt: null,
  retryAfter: null,
  durationMs: 10,
})
const failure = outcome(503, 'http_status')
const success = outcome(204, null)

const closed = { openCount: 0, failures: 0, failedEvents: [] }
const breakerAfter = (openCount: number) => new CircuitBreaker({ openCount, failures: 0, failedEvents: [] })

function recordAll(breaker: CircuitBreaker, eventIds: string): string[] {
  return eventIds.split('').map((id) => breaker.record(id, failure))
}

describe('CircuitBreaker', () => {
  test('opens at the fifth consecutive failure of at least three events', () => {
    expect(recordAll(new CircuitBreaker(closed), 'aabbc')).toEqual(['closed', 'closed', 'closed', 'closed', 'opened'])
    expect(recordAll(new CircuitBreaker(closed), 'aabbbbc').slice(4)).toEqual(['closed', 'closed', 'opened'])
  })

  test('continues from its stored state, which stays small however often the endpoint fails', () => {
    let breaker = new CircuitBreaker(closed)
    expect('aabb'.split('').map((id) => (breaker = new CircuitBreaker(breaker.state)).record(id, failure))).not.toContain('opened')
    expect(breaker.state).toEqual({ openCount: 0, failures: 4, failedEvents: ['a', 'b'] })
    breaker = new CircuitBreaker(breaker.state)
    expect(breaker.record('c', failure)).toBe('opened')
    expect(breaker.state).toEqual({ openCount: 1, failures: 0, failedEvents: [] })
    const many = new CircuitBreaker(closed)
    recordAll(many, 'abcd')
    expect(many.state.failedEvents).toEqual(['a', 'b', 'c'])
  })

  test('counts again after a success or a failure of one event', () => {
    for (const between of [success, outcome(400, 'http_status'), outcome(410, 'gone')]) {
      const breaker = new CircuitBreaker(closed)
      recordAll(breaker, 'abcd')
      expect(breaker.record('e', between)).toBe('closed')
      expect(recordAll(breaker, 'abcd')).not.toContain('opened')
    }
  })

  test('opens at the first failure after an opening, until a success', () => {
    const breaker = breakerAfter(2)
    expect(breaker.record('a', failure)).toBe('opened')
    expect(breaker.state.openCount).toBe(3)
    breaker.record('a', outcome(400, 'http_status'))
    expect(breaker.state.openCount).toBe(3)
    breaker.record('a', success)
    expect(breaker.state.openCount).toBe(0)
    expect(breaker.record('a', failure)).toBe('closed')
  })

  test('doubles its pause with each opening, up to thirtyfold, ±20 %', () => {
    const pauses = (random: number) => [1, 2, 3, 6].map((count) => breakerAfter(count).pauseMs({ baseMs: 1_000, random }))
    expect(pauses(0.5)).toEqual([1_000, 2_000, 4_000, 30_000])
    expect(pauses(0)).toEqual([800, 1_600, 3_200, 24_000])
    expect(pauses(1)).toEqual([1_200, 2_400, 4_800, 36_000])
  })
})

test.each([
  [outcome(null, 'timeout'), true],
  [outcome(null, 'dns_error'), true],
  [outcome(200, 'connection_reset'), true],
  [outcome(429, 'http_status'), true],
  [outcome(500, 'http_status'), true],
  [outcome(404, 'http_status'), false],
  [outcome(410, 'gone'), false],
  [success, false],
])('isEndpointFailure distinguishes failures of the endpoint from those of one event: %o', (given, expected) => {
  expect(isEndpointFailure(given)).toBe(expected)
})
