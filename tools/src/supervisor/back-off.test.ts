import { expect, test } from 'vitest'
import { restartDelayMs } from './back-off.ts'

test('the first restart comes within a quarter of a second', () => {
  expect(restartDelayMs(0)).toBeLessThanOrEqual(250)
})

test('waits double and end at ten seconds', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map(restartDelayMs)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})
