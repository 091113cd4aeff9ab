import type { JobContext } from '@quittance/runtime/handler'
import { expect, test, vi } from 'vitest'
import { runEach } from './run-each.ts'

test('every task ends before the first error is thrown, and each failed one is logged with the id of its row', async () => {
  const logged: unknown[] = []
  const ended: string[] = []
  const context = {
    transaction: (_organizationId: string, work: () => Promise<void>) => work(),
    log: { error: (...line: unknown[]) => void logged.push(line) },
  } as unknown as JobContext
  const { promise: isFirstFailed, resolve } = Promise.withResolvers<void>()
  const [first, second] = [new Error('first'), new Error('second')]
  const task = (id: string, run: () => Promise<void>) => ({ row: { id, organization_id: 'o' }, run })
  const tasks = [
    task('a', async () => {
      resolve()
      throw first
    }),
    task('b', async () => {
      await isFirstFailed
      ended.push('b')
    }),
    task('c', () => Promise.reject(second)),
  ]
  const options = { context, failure: 'subscription.renewal-failed', idField: 'subscription_id' }
  await expect(runEach(tasks, options)).rejects.toBe(first)
  expect(ended).toEqual(['b'])
  expect(logged).toEqual([
    [{ err: first, subscription_id: 'a' }, 'subscription.renewal-failed'],
    [{ err: second, subscription_id: 'c' }, 'subscription.renewal-failed'],
  ])
})

test('at most five tasks run at once, and the next one starts when one has ended', async () => {
  const ends: (() => void)[] = []
  const context = { transaction: (_organizationId: string, work: () => Promise<void>) => work() } as unknown as JobContext
  const run = () => new Promise<void>((end) => ends.push(end))
  const tasks = Array.from({ length: 7 }, (_, index) => ({ row: { id: `${index}`, organization_id: 'o' }, run }))
  const isDone = runEach(tasks, { context, failure: 'subscription.renewal-failed', idField: 'subscription_id' })
  expect(ends).toHaveLength(5)
  ends[2]?.()
  await vi.waitFor(() => expect(ends).toHaveLength(6))
  for (const index of [0, 1, 3, 4, 5]) ends[index]?.()
  await vi.waitFor(() => expect(ends).toHaveLength(7))
  ends[6]?.()
  await isDone
})
