import { expect, test } from 'vitest'
import { createPause, createReplyOrder } from './late-replies.ts'

test('drops a reply that is older than the last request [pages 26]', () => {
  const order = createReplyOrder()
  const [first, second] = [order.begin(), order.begin()]
  expect([order.isLatest(first), order.isLatest(second)]).toEqual([false, true])
})

test('runs once for calls that follow each other closely', () => {
  const waiting: (() => void)[] = []
  let runs = 0
  const timers = {
    setTimeout: ((run: () => void) => waiting.push(run) - 1) as never,
    clearTimeout: ((index: number | undefined) => index !== undefined && (waiting[index] = () => {})) as never,
  }
  const call = createPause(() => (runs += 1), { afterMs: 400, timers })
  for (let i = 0; i < 3; i++) call()
  for (const run of waiting) run()
  expect(runs).toBe(1)
})
