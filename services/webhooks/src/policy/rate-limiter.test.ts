import { expect, test } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

/** Starts as many POSTs as possible at these times; returns the times of the started ones. */
function startAll(limiter: RateLimiter, { times, perSecond }: { times: readonly number[]; perSecond: number }): number[] {
  return times.flatMap((now) => {
    const started: number[] = []
    while (limiter.isAvailable(now) && started.length < 10_000) {
      limiter.take(now, perSecond)
      started.push(now)
    }
    return started
  })
}

/** Times of a timer that fires every `everyMs`, without those in which the process is stalled. */
function timer(everyMs: number, { untilMs, isStalled = () => false }: { untilMs: number; isStalled?: (now: number) => boolean }): number[] {
  return Array.from({ length: Math.floor(untilMs / everyMs) }, (_, index) => 5_000 + index * everyMs).filter(
    (now) => !isStalled(now - 5_000),
  )
}

function maxPerSecond(started: readonly number[]): number {
  return Math.max(...started.map((from) => started.filter((at) => at >= from && at <= from + 1_000).length))
}

test('without a limit every POST may start', () => {
  const limiter = new RateLimiter()
  for (let count = 0; count < 1_000; count++) limiter.take(100, null)
  expect(limiter.isAvailable(100)).toBe(true)
})

test('spaces POSTs evenly', () => {
  const started = startAll(new RateLimiter(), { times: timer(1, { untilMs: 1_000 }), perSecond: 10 })
  expect(started.map((at) => at - 5_000)).toEqual([0, 102, 203, 305, 406, 508, 609, 711, 812, 914])
})

test.each([1, 2, 10, 40, 200, 1_000])('uses a limit of %i per second to at least 95 %, and never exceeds it in any second', (perSecond) => {
  const started = startAll(new RateLimiter(), { times: timer(10, { untilMs: 10_000 }), perSecond })
  expect(maxPerSecond(started)).toBeLessThanOrEqual(perSecond)
  expect(started.length).toBeGreaterThanOrEqual(0.95 * 10 * perSecond)
})

test('catches up after a stall, and never exceeds the limit in any second', () => {
  const times = timer(10, { untilMs: 20_000, isStalled: (now) => now % 2_000 < 400 })
  const started = startAll(new RateLimiter(), { times, perSecond: 40 })
  expect(maxPerSecond(started)).toBeLessThanOrEqual(40)
  expect(started.length).toBeGreaterThanOrEqual(0.95 * 20 * 40)
})

test('has nothing to catch up with at its first POST', () => {
  expect(startAll(new RateLimiter(), { times: [5_000], perSecond: 200 })).toHaveLength(1)
})

test('a changed limit applies to the next POST', () => {
  const limiter = new RateLimiter()
  startAll(limiter, { times: timer(10, { untilMs: 1_000 }), perSecond: 200 })
  limiter.take(6_000, 1)
  expect([6_500, 7_014, 7_016].map((now) => limiter.isAvailable(now))).toEqual([false, false, true])
  limiter.take(7_031, null)
  expect(limiter.isAvailable(7_031)).toBe(true)
})
