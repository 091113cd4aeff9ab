import { expect, test } from 'vitest'
import { restartDelayMs } from './back-off.ts'

test('restarts for the first time within a quarter of a second', () => {
  expect(restartDelayMs(0)).toBeLessThanOrEqual(250)
})

test('doubles the delay up to ten seconds', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map(restartDelayMs)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})
