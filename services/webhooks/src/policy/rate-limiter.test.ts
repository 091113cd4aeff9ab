import { expect, test } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

test('without a limit every POST may start', () => {
  const limiter = new RateLimiter()
  limiter.take(100, null)
  expect(limiter.isAvailable(100)).toBe(true)
})

test('spaces POSTs evenly', () => {
  const limiter = new RateLimiter()
  limiter.take(1_000, 10)
  limiter.take(1_080, 10)
  expect([1_179, 1_180].map((now) => limiter.isAvailable(now))).toEqual([false, true])
})

test('compensates for at most 20 ms after a late permit', () => {
  const limiter = new RateLimiter()
  limiter.take(1_000, 10)
  limiter.take(5_000, 10)
  expect([5_079, 5_080].map((now) => limiter.isAvailable(now))).toEqual([false, true])
})
