import { expect, test } from 'vitest'
import { counter, gauge, metrics } from './metrics.ts'

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
  expect(await readFailures('hanging_example')).toBe('2')
  finish()
  await expect.poll(read).toBe('3')
})

test('a gauge that cannot be read keeps its value and is counted', async () => {
  let isBroken = false
  gauge('broken_example', 'A gauge of a query that fails.', {
    collect(each) {
      if (isBroken) throw new Error('relation does not exist')
      each.set(7)
    },
  })
  expect(await metrics.metrics()).toContain('broken_example 7')
  expect(await readFailures('broken_example')).toBeUndefined()
  isBroken = true
  expect(await metrics.metrics()).toContain('broken_example 7')
  expect(await readFailures('broken_example')).toBe('1')
})

test.each(['job', 'instance'])('a metric has no label %s, which Prometheus sets on its target', (label) => {
  expect(() => counter('labelled_example_total', 'A counter.', [label])).toThrow(
    `The metric labelled_example_total has a label that Prometheus sets: ${label}`,
  )
})

async function readFailures(name: string): Promise<string | undefined> {
  const text = await metrics.getSingleMetricAsString('gauge_read_failures_total')
  return new RegExp(`gauge="${name}".* (\\d+)$`, 'm').exec(text)?.[1]
}
