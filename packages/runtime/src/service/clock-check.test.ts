import { expect, test } from 'vitest'
import { startClockCheck } from './clock-check.ts'

/** Returns the offset that the first check of a clock warns of; null without a warning. */
async function checkOnce(referenceOffsetMs: number): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const { close } = startClockCheck({
    async readReference() {
      // The check ends in the microtasks that follow.
      setImmediate(() => resolve(null))
      return Date.now() + referenceOffsetMs
    },
    log: { warn: (fields: { offset_seconds: number }) => resolve(fields.offset_seconds) } as never,
  })
  const warned = await promise
  await close()
  return warned
}

test('warns of a clock that makes a request arrive after its deadline', async () => {
  expect(await checkOnce(4_000)).toBeCloseTo(-4, 0)
  expect(await checkOnce(-4_000)).toBeCloseTo(4, 0)
})

test('does not warn of a clock that differs little', async () => {
  expect(await checkOnce(1_000)).toBeNull()
  expect(await checkOnce(-1_000)).toBeNull()
})
