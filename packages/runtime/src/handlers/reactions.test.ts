import { expect, test } from 'vitest'
import type { Transaction } from './handler.ts'
import { assertReactionsComplete, on, reactionPoint, runReaction } from './reactions.ts'
import { startService } from '../service/service.ts'

const context = {} as Transaction
const first = reactionPoint<{ id: string }>('gateway.first.changed')
const second = reactionPoint<number>('gateway.second.changed')

test('accepts exactly one entry for each declared point of the service', () => {
  expect(() => assertReactionsComplete('gateway', [on(first, []), on(second, [])])).not.toThrow()
  expect(() => assertReactionsComplete('auth', [])).not.toThrow()
})

test('rejects a declared point without an entry or with two, and names it', () => {
  expect(() => assertReactionsComplete('gateway', [on(first, [])])).toThrow('gateway.second.changed has 0 entries')
  expect(() => assertReactionsComplete('gateway', [on(first, []), on(second, []), on(first, [])])).toThrow(
    'gateway.first.changed has 2 entries',
  )
})

test('a service with an incomplete list does not start', async () => {
  await expect(startService({ name: 'gateway', reactions: [on(first, [])] }, {})).rejects.toThrow('gateway.second.changed has 0 entries')
})

test('awaits the steps of the point in their order and skips those after an error', async () => {
  const ran: string[] = []
  const reactions = [
    on(second, [() => void ran.push('of another point')]),
    on(first, [
      async ({ log }, { id }) => {
        await Promise.resolve(log)
        ran.push(id)
      },
      () => void ran.push('second'),
      () => Promise.reject(new Error('not now')),
      () => void ran.push('never'),
    ]),
  ]
  await expect(runReaction(reactions, { point: first, payload: { id: 'a' }, context })).rejects.toThrow('not now')
  expect(ran).toEqual(['a', 'second'])
})

test('fails for a point that is not listed', async () => {
  await expect(runReaction([], { point: first, payload: { id: 'a' }, context })).rejects.toThrow('gateway.first.changed has no entry')
})
