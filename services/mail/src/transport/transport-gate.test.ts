import { expect, test } from 'vitest'
import { createTransportGate } from './transport-gate.ts'

test('one mail at a time is tried after growing pauses while the server is unavailable', () => {
  let now = 0
  const gate = createTransportGate(() => now)
  expect([gate.enter(), gate.enter()]).toEqual([true, true])
  gate.failed()
  gate.failed()
  expect([gate.enter(), gate.remainingMs()]).toEqual([false, 1_000])
  now += 1_000
  expect([gate.enter(), gate.enter()]).toEqual([true, false])
  gate.failed()
  expect(gate.remainingMs()).toBe(2_000)
  for (let attempt = 0; attempt < 10; attempt++) {
    now += 30_000
    expect(gate.enter()).toBe(true)
    gate.failed()
  }
  expect(gate.remainingMs()).toBe(30_000)
  now += 30_000
  expect(gate.enter()).toBe(true)
  gate.succeeded()
  expect([gate.enter(), gate.enter(), gate.remainingMs()]).toEqual([true, true, 0])
})

test('a probe that found no mail lets the next one in', () => {
  let now = 0
  const gate = createTransportGate(() => now)
  gate.failed()
  now += 1_000
  expect(gate.enter()).toBe(true)
  gate.released()
  expect(gate.enter()).toBe(true)
})
