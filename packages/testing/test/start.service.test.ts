import { randomUUID } from 'node:crypto'
import type { Surroundings } from '@quittance/runtime/service'
import { expect, test } from 'vitest'
import { startTestService } from '../src/harness.ts'
import { ledger, noteEntries } from './ledger.ts'

test('nothing is answered before what answers link to is served, and a service is ready when both are so', async () => {
  let early: Promise<unknown> = Promise.resolve()
  const internalRoutes = ({ connection }: Surroundings) => {
    // On the service's own connection: it arrives before the subscriptions that are made later.
    early = connection.request(noteEntries.subject, '{}', { timeout: 20_000 }).catch((error: unknown) => error)
    return () => false
  }
  await using service = await startTestService({ ...ledger(), internalRoutes })
  // The server's word that nobody listens.
  expect(await early).toMatchObject({ code: '503' })
  const ready = await fetch(`http://127.0.0.1:${service.healthPort()}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', failed: [] }])
  expect(await service.call(noteEntries, { account: randomUUID(), first: 0, count: 1 }, { kind: 'anonymous' })).toEqual({ noted: 1 })
})
