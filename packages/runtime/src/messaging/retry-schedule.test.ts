import { expect, test } from 'vitest'
import { UnreadableEvent } from './incoming-event.ts'
import { decideRetry } from './retry-schedule.ts'

/** An error of PostgreSQL as MikroORM wraps it. */
const databaseError = (code: string) =>
  Object.assign(new Error('wrapped'), { previous: Object.assign(new Error('of PostgreSQL'), { code }) })

/** Total delay of all attempts in milliseconds. */
function totalDelay(error: Error): number {
  let sum = 0
  for (let attempts = 0; ; attempts++) {
    const decision = decideRetry(error, attempts)
    if (!decision) return sum
    expect(decision.counted).toBe(1)
    sum += decision.delay
  }
}

test('an attempt that fails is counted, and the sixth is the last one', () => {
  expect(totalDelay(new Error('a bug'))).toBe(14_300)
  expect(decideRetry(new Error('a bug'), 5)).toBeNull()
})

test.each([
  ['a lock timeout', '55P03'],
  ['a deadlock', '40P01'],
])('%s uses up no attempt', (_, code) => {
  expect(decideRetry(databaseError(code), 0)).toEqual({ delay: 250, counted: 0 })
  expect(decideRetry(databaseError(code), 5)).toEqual({ delay: 250, counted: 0 })
})

test('a statement timeout is counted, over a quarter of an hour', () => {
  expect(totalDelay(databaseError('57014'))).toBeGreaterThan(15 * 60_000)
  expect(decideRetry(databaseError('57014'), 5)).toBeNull()
})

test('a message that is not readable is not retried', () => {
  expect(decideRetry(new UnreadableEvent('The message is not JSON'), 0)).toBeNull()
})
