import { expect, test } from 'vitest'
import { gauge, metrics } from './metrics.ts'

test('a read does not wait for a gauge that hangs, returns its last value, and does not start it again', async () => {
  let calls = 0
  let finish = () => {}
  gauge('hanging_example', 'A gauge of a database that hangs.', {
    async collect(each) {
      calls += 1
      if (calls === 2) await new Promise<void>((resolve) => (finish = resolve))
      each.set(calls)
    },
  })
  const read = async () => /^hanging_example (\d+)$/m.exec(await metrics.metrics())?.[1]
  expect(await read()).toBe('1')
  expect(await read()).toBe('1')
  expect(await read()).toBe('1')
  expect(calls).toBe(2)
  finish()
  await expect.poll(read).toBe('3')
})
