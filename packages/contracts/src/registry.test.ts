import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { events, isEvent, isOperation, operations, publicEvents, publicOperations } from './registry.ts'
import { eventSequences } from './event-sequences.ts'
import { webhookEventTypes } from './webhook-event-types.ts'

const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !/^registry|[.]test[.]ts$/.test(file))
const exported = (
  await Promise.all(files.map((file) => import(join(import.meta.dirname, file)) as Promise<Record<string, unknown>>))
).flatMap((contract) => Object.values(contract))

test('every contract file is registered', () => {
  const subjects = (described: readonly { subject: string }[]) => described.map(({ subject }) => subject).toSorted()
  expect(subjects(operations)).toEqual(subjects(exported.filter(isOperation)))
  expect(subjects(events)).toEqual(subjects(exported.filter(isEvent)))
})

test('subjects and routes (method and path) are unique', () => {
  const routes = publicOperations.map(({ http }) => `${http.method} ${http.path}`)
  expect(new Set(routes).size).toBe(routes.length)
  const subjects = [...operations, ...events].map(({ subject }) => subject)
  expect(new Set(subjects).size).toBe(subjects.length)
})

test('public events have distinct webhook types that endpoints can select', () => {
  const types = publicEvents.map(({ webhookType }) => webhookType)
  expect(new Set(types).size).toBe(types.length)
  expect(webhookEventTypes).toEqual(expect.arrayContaining(types))
})

test('every type of an event sequence belongs to a public event', () => {
  const publicTypes = publicEvents.map(({ webhookType }) => webhookType)
  for (const { types } of eventSequences) expect(publicTypes).toEqual(expect.arrayContaining([...types]))
})
