import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { events, isEvent, isOperation, operations, publicEvents, publicOperations } from './registry.ts'
import { eventOrders } from './event-order.ts'
import { webhookEventTypes } from './webhooks.ts'

const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !/^registry|[.]test[.]ts$/.test(file))
const exported = (
  await Promise.all(files.map((file) => import(join(import.meta.dirname, file)) as Promise<Record<string, unknown>>))
).flatMap((contract) => Object.values(contract))

test('no contract file was forgotten', () => {
  const subjects = (described: readonly { subject: string }[]) => described.map(({ subject }) => subject).toSorted()
  expect(subjects(operations)).toEqual(subjects(exported.filter(isOperation)))
  expect(subjects(events)).toEqual(subjects(exported.filter(isEvent)))
})

test('subjects, and methods with their paths, are each used once', () => {
  const routes = publicOperations.map(({ http }) => `${http.method} ${http.path}`)
  expect(new Set(routes).size).toBe(routes.length)
  const subjects = [...operations, ...events].map(({ subject }) => subject)
  expect(new Set(subjects).size).toBe(subjects.length)
})

test('what endpoints are told is of a type they can select, and no two are of the same', () => {
  const types = publicEvents.map(({ webhookType }) => webhookType)
  expect(new Set(types).size).toBe(types.length)
  expect(webhookEventTypes).toEqual(expect.arrayContaining(types))
})

test('every type of an order of events is told', () => {
  const told = publicEvents.map(({ webhookType }) => webhookType)
  for (const { types } of eventOrders) expect(told).toEqual(expect.arrayContaining([...types]))
})
