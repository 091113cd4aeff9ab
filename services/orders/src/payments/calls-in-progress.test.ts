import { expect, test } from 'vitest'
import { createCallsInProgress } from './calls-in-progress.ts'

test('an account with eight calls in progress is busy until one of them ends; others are not', async () => {
  const calls = createCallsInProgress(100)
  const ends = Array.from({ length: 9 }, () => Promise.withResolvers<void>())
  const runs = ends.slice(0, 8).map(({ promise }, index) => calls.run(`row-${index}`, () => promise, 'hanging'))
  runs.push(calls.run('row-of-another', () => (ends[8] as PromiseWithResolvers<void>).promise, 'another'))
  expect(calls.findBusyAccounts()).toEqual(['hanging'])
  expect(calls.free()).toBe(91)
  ends[0]?.resolve()
  await runs[0]
  expect(calls.findBusyAccounts()).toEqual([])
  for (const { resolve } of ends) resolve()
  await calls.idle()
  expect(calls.free()).toBe(100)
})

test('a row is worked on once at a time', async () => {
  const calls = createCallsInProgress(2)
  const end = Promise.withResolvers<void>()
  const first = calls.run('row', () => end.promise, 'account')
  expect(calls.run('row', () => Promise.reject(new Error('twice')))).toBe(first)
  end.resolve()
  await first
})

test('a request that waits for a row does not keep the job that holds its lease from driving it', async () => {
  const calls = createCallsInProgress(2)
  const result = Promise.withResolvers<void>()
  const waiting = calls.runForRequest('row', () => result.promise)
  let isDriven = false
  await calls.run('row', async () => {
    isDriven = true
    result.resolve()
  })
  expect(isDriven).toBe(true)
  await waiting
})
