import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { webhookEventTypes } from '@quittance/contracts/webhooks'
import { expect, test } from 'vitest'
import { isPublicEvent, publicEvents } from './public-events.ts'

test('every event that any contract shows to customers is heard', async () => {
  const folder = dirname(fileURLToPath(import.meta.resolve('@quittance/contracts/event')))
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const contracts = await Promise.all(files.map((name) => import(join(folder, name)) as Promise<Record<string, unknown>>))
  const shown = contracts.flatMap((contract) => Object.values(contract).filter(isPublicEvent))
  expect(publicEvents.map(({ subject }) => subject).toSorted()).toEqual(shown.map(({ subject }) => subject).toSorted())
})

test('each is of a type an endpoint can select, and no two are of the same', () => {
  const types = publicEvents.map(({ webhookType }) => webhookType)
  expect(new Set(types).size).toBe(types.length)
  expect(webhookEventTypes).toEqual(expect.arrayContaining(types))
})
