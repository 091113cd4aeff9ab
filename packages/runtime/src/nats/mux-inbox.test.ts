import { expect, test } from 'vitest'
import { publishBatched } from './mux-inbox.ts'

test('sends all messages of one event-loop turn together, in order, after other work of it', async () => {
  const done: string[] = []
  const published = ['first', 'second'].map((name) => publishBatched(() => void done.push(name)))
  await Promise.resolve().then(() => done.push('microtask'))
  const next = new Promise<void>((resolve) => setImmediate(() => resolve(void done.push('next'))))
  await Promise.all([...published, next])
  expect(done).toEqual(['microtask', 'first', 'second', 'next'])
})

test('a message that cannot be published fails alone', async () => {
  const fails = publishBatched(() => {
    throw new Error('The connection is closed')
  })
  const goes = publishBatched(() => {})
  await expect(fails).rejects.toThrow('The connection is closed')
  await expect(goes).resolves.toBeUndefined()
})

test('a message published during a flush is sent in the next turn', async () => {
  const inner = new Promise<void>((resolve, reject) => {
    void publishBatched(() => void publishBatched(() => {}).then(resolve, reject))
  })
  await expect(inner).resolves.toBeUndefined()
})
