import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { mutations } from './mutations.ts'
import { runSimulation } from './run-simulation.ts'

/** The fourth run is another one each time; its number is in the title of a failure. */
const runs = [1, 2, 3, randomInt(2 ** 31)]
/** Five seconds on an idle machine. */
const slowMs = 180_000

test.for(runs)('run %i of 5,000 years breaks no invariant [payments 76]', { timeout: slowMs }, (run) => {
  const result = runSimulation({ run, years: 5_000 })
  expect(result).toMatchObject({ run, violation: null, customers: 1_000 })
  expect(result.renewals).toBeGreaterThan(20_000)
  expect(result.trials).toBeGreaterThan(500)
  expect(Object.keys(result.faults).length).toBe(11)
})

test('the same number gives the same history, byte for byte [payments 76]', () => {
  const [one, two, other] = [11, 11, 12].map((run) => runSimulation({ run, years: 250 }).digest)
  expect(one).toBe(two)
  expect(one).not.toBe(other)
})

test('a customer replayed alone has the history of the whole run [payments 78]', () => {
  const readDigests = (options: { customer?: number }) => {
    const digests = new Map<number, string>()
    runSimulation({ run: 5, years: 500, ...options, onDigest: (customer, digest) => void digests.set(customer, digest) })
    return digests
  }
  const whole = readDigests({})
  expect(whole.size).toBe(100)
  for (const customer of [0, 17, 99]) expect(readDigests({ customer })).toEqual(new Map([[customer, whole.get(customer)]]))
})

test('there are twenty-three mutations', () => {
  expect(Object.keys(mutations)).toHaveLength(23)
})

test.for(Object.entries(mutations))('finds the mutation: %s [payments 77]', { timeout: slowMs }, ([, mutation]) => {
  expect(runSimulation({ run: 1, years: 5_000, mutation }).violation).not.toBeNull()
})
