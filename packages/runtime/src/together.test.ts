import { expect, test } from 'vitest'
import { together } from './together.ts'

test('what is published in one turn goes out in one, in order and behind all that the turn still does', async () => {
  const done: string[] = []
  const published = ['first', 'second'].map((name) => together(() => void done.push(name)))
  await Promise.resolve().then(() => done.push('microtask'))
  const next = new Promise<void>((resolve) => setImmediate(() => resolve(void done.push('next'))))
  await Promise.all([...published, next])
  expect(done).toEqual(['microtask', 'first', 'second', 'next'])
})

test('what cannot be published fails alone', async () => {
  const fails = together(() => {
    throw new Error('The connection is closed')
  })
  const goes = together(() => {})
  await expect(fails).rejects.toThrow('The connection is closed')
  await expect(goes).resolves.toBeUndefined()
})

test('what is published while others are is for the next turn, and not forgotten', async () => {
  const inner = new Promise<void>((resolve, reject) => {
    void together(() => void together(() => {}).then(resolve, reject))
  })
  await expect(inner).resolves.toBeUndefined()
})
