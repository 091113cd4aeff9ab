import { expect, test } from 'vitest'
import { createResourcePool, PoolTimeout } from './resource-pool.ts'

test('gives a resource to one user at a time, in the order of requests', async () => {
  const pens = createResourcePool(['pen'])
  const seen: string[] = []
  const write = (name: string) =>
    pens.use('owner', async () => {
      seen.push(`${name} begins`)
      await Promise.resolve()
      seen.push(`${name} ends`)
    })
  await Promise.all([write('a'), write('b')])
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})

test('leaves resources beyond the share of an owner to others', async () => {
  const pens = createResourcePool([1, 2, 3], { share: 2 })
  const gate = Promise.withResolvers<void>()
  const started: string[] = []
  const hold = (owner: string) =>
    pens.use(owner, async () => {
      started.push(owner)
      await gate.promise
    })
  const held = ['large', 'large', 'large', 'small'].map(hold)
  await Promise.resolve()
  expect(started).toEqual(['large', 'large', 'small'])
  gate.resolve()
  await Promise.all(held)
  expect(started).toEqual(['large', 'large', 'small', 'large'])
})

test('prefers the waiting owner with the fewest resources in use', async () => {
  const pens = createResourcePool([1, 2])
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const started: string[] = []
  const use = (owner: string, until: Promise<void> = Promise.resolve()) => pens.use(owner, () => (started.push(owner), until))
  const used = [use('large', first.promise), use('large', second.promise), use('large'), use('large'), use('small')]
  first.resolve()
  await used[0]
  second.resolve()
  await Promise.all(used)
  expect(started).toEqual(['large', 'large', 'small', 'large', 'large'])
})

test('rejects waiting requests on stop and waits for those in progress', async () => {
  const pens = createResourcePool(['pen'])
  const gate = Promise.withResolvers<string>()
  const working = pens.use('owner', () => gate.promise)
  const queued = pens.use('owner', async () => 'never')
  const stopped = pens.stop()
  await expect(queued).rejects.toThrow(PoolTimeout)
  gate.resolve('done')
  await stopped
  await expect(working).resolves.toBe('done')
  await expect(pens.use('owner', async () => 'late')).rejects.toThrow(PoolTimeout)
})

test('releases the resource if the work fails', async () => {
  const pens = createResourcePool(['pen'])
  await expect(pens.use('owner', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await expect(pens.use('owner', async (pen) => pen)).resolves.toBe('pen')
})
