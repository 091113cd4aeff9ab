import { expect, test } from 'vitest'
import { createLending, NotLent } from './lending.ts'

test('a thing is lent to one borrower at a time, in the order they came', async () => {
  const pens = createLending(['pen'])
  const seen: string[] = []
  const write = (name: string) =>
    pens.lend(async () => {
      seen.push(`${name} begins`)
      await Promise.resolve()
      seen.push(`${name} ends`)
    })
  await Promise.all([write('a'), write('b')])
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})

test('stopping refuses who waits and waits for who works', async () => {
  const pens = createLending(['pen'])
  const gate = Promise.withResolvers<string>()
  const working = pens.lend(() => gate.promise)
  const queued = pens.lend(async () => 'never')
  const stopped = pens.stop()
  await expect(queued).rejects.toThrow(NotLent)
  gate.resolve('done')
  await stopped
  await expect(working).resolves.toBe('done')
  await expect(pens.lend(async () => 'late')).rejects.toThrow(NotLent)
})

test('a borrower that fails gives back', async () => {
  const pens = createLending(['pen'])
  await expect(pens.lend(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await expect(pens.lend(async (pen) => pen)).resolves.toBe('pen')
})
