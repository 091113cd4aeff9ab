import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createWakeSignal } from './wake-signal.ts'

const longMs = 60_000

/** Starts waits and notes the names of those that have continued. */
function startWaits(signal: ReturnType<typeof createWakeSignal>, waits: Readonly<Record<string, number>>): string[] {
  const continued: string[] = []
  for (const [name, ms] of Object.entries(waits)) void signal.wait(ms).then(() => continued.push(name))
  return continued
}

test('remembers one wake-up between two waits, however many there were', async () => {
  const signal = createWakeSignal()
  signal.wake()
  signal.wake()
  await signal.wait(longMs)
  const continued = startWaits(signal, { second: longMs })
  await delay(10)
  expect(continued).toEqual([])
  signal.wake()
  await delay(0)
  expect(continued).toEqual(['second'])
})

test('continues one of several waits per wake-up, the longest first', async () => {
  const signal = createWakeSignal()
  const continued = startWaits(signal, { first: longMs, second: longMs, third: longMs })
  signal.wake()
  signal.wake()
  await delay(0)
  expect(continued).toEqual(['first'])
  signal.wake()
  await delay(0)
  expect(continued).toEqual(['first', 'second'])
  signal.wake()
})

test('continues another wait after its time although one was woken before and does not wait again', async () => {
  const signal = createWakeSignal()
  const continued = startWaits(signal, { first: longMs, second: 50 })
  signal.wake()
  await delay(0)
  expect(continued).toEqual(['first'])
  await delay(200)
  expect(continued).toEqual(['first', 'second'])
})

test('continues each of several waits at intervals although none waits again', async () => {
  const signal = createWakeSignal()
  const continued = startWaits(signal, { first: longMs, second: longMs, third: 20 })
  await vi.waitFor(() => expect(continued).toEqual(['first', 'second', 'third']))
})
