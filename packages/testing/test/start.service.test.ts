import { randomUUID } from 'node:crypto'
import type { ServiceResources } from '@quittance/runtime/service'
import { expect, test } from 'vitest'
import { startTestService } from '../src/harness.ts'
import { ledger, noteEntries } from './ledger.ts'

test('handles no request before its internal routes are served, and is ready after both', async () => {
  let earlyRequest: Promise<unknown> = Promise.resolve()
  const internalRoutes = ({ connection }: ServiceResources) => {
    // On the service's own connection: it arrives before the subscriptions that are created later.
    earlyRequest = connection.request(noteEntries.subject, '{}', { timeout: 20_000 }).catch((error: unknown) => error)
    return () => false
  }
  await using service = await startTestService({ ...ledger(), internalRoutes })
  // The server reports no responders.
  expect(await earlyRequest).toMatchObject({ code: '503' })
  const ready = await fetch(`http://127.0.0.1:${service.healthPort()}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', failed: [] }])
  expect(await service.call(noteEntries, { account: randomUUID(), first: 0, count: 1 }, { kind: 'anonymous' })).toEqual({ noted: 1 })
})
