import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { Conflict } from '@quittance/contracts/errors'
import type { RequestInput } from '@quittance/contracts/operation'
import type { Transaction } from '@quittance/runtime/handler'
import { call } from '@quittance/runtime/rpc-client'
import { expect, test } from 'vitest'
import { organizationCaller } from '../src/callers.ts'
import { eventually } from '../src/eventually.ts'
import { startTestService, type TestService } from '../src/harness.ts'
import { anyScope, ledger, noteEntries } from './ledger.ts'

const seller = organizationCaller(randomUUID())

interface Keyed extends RequestInput<typeof noteEntries> {
  key: string
  caller?: Caller
}

function note({ connection }: TestService, { key: idempotencyKey, caller = seller, ...request }: Keyed) {
  return call(connection, { operation: noteEntries, request, caller, idempotencyKey })
}

test('runs a repeated request once with the same reply, and rejects another with its key', async () => {
  await using service = await startTestService(ledger())
  const request = { account: randomUUID(), first: 0, count: 2 }
  expect(await note(service, { ...request, key: 'a' })).toEqual({ noted: 2 })
  expect(await note(service, { ...request, key: 'a' })).toEqual({ noted: 2 })
  await expect(note(service, { ...request, count: 3, key: 'a' })).rejects.toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['header', 'Idempotency-Key'], type: 'value_error' }] },
  })
  await note(service, { ...request, first: 7, count: 1, key: 'b' })
  await eventually(async () => expect(await service.rows('select position from handled_entries order by number')).toHaveLength(3))
})

test('scopes a key to one caller', async () => {
  await using service = await startTestService(ledger())
  const request = { account: randomUUID(), first: 0, count: 1 }
  await note(service, { ...request, key: 'a' })
  await note(service, { ...request, count: 2, key: 'a', caller: organizationCaller(randomUUID()) })
  await note(service, { ...request, key: 'a', caller: { ...seller, token_id: 'another credential' } as Caller })
  await eventually(async () => expect(await service.rows('select from handled_entries')).toHaveLength(3))
})

test('scopes a key to the application that acts for a caller', async () => {
  await using service = await startTestService(ledger())
  const request = { account: randomUUID(), first: 0, count: 1 }
  const application = (client_id: string, token_id: string) => ({ ...seller, client_id, token_id }) as Caller
  await note(service, { ...request, key: 'a' })
  await note(service, { ...request, first: 1, key: 'a', caller: application('one', 'at_1') })
  await note(service, { ...request, first: 1, key: 'a', caller: application('one', 'at_2') })
  await note(service, { ...request, first: 2, key: 'a', caller: application('another', 'at_3') })
  await eventually(async () => expect(await service.rows('select from handled_entries')).toHaveLength(3))
})

test('returns 409 while a request with the same key is in progress; a failed one can be retried', async () => {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const beforeNote = async ({ sql }: Transaction) => {
    // Answered after the lookup of the key: the first request holds it now.
    await sql('before-note', `select 1 where ${anyScope}`)
    started.resolve()
    await gate.promise
  }
  await using service = await startTestService(ledger({ beforeNote }))
  const request = { account: randomUUID(), first: 0, count: 1 }
  const first = note(service, { ...request, fails: true, key: 'a' })
  await started.promise
  await expect(note(service, { ...request, key: 'a' })).rejects.toThrow(/still in progress/)
  gate.resolve()
  await expect(first).rejects.toThrow(Conflict)
  expect(await note(service, { ...request, key: 'a' })).toEqual({ noted: 1 })
  await eventually(async () => expect(await service.rows('select from handled_entries')).toHaveLength(1))
})

test('runs twenty concurrent requests with one key once', async () => {
  await using service = await startTestService(ledger())
  const request = { account: randomUUID(), first: 0, count: 1 }
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => note(service, { ...request, key: 'a' })))
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Conflict)
    else expect(outcome.value).toEqual({ noted: 1 })
  }
  expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
  await eventually(async () => expect(await service.rows('select from handled_entries')).toHaveLength(1))
})

test('stores a reply for one day, unreadable without the key', async () => {
  await using service = await startTestService(ledger())
  const request = { account: randomUUID(), first: 0, count: 1 }
  await note(service, { ...request, key: 'a' })
  expect(JSON.stringify(await service.rows('select * from idempotent_replies'))).not.toMatch(/noted|"a"/)
  await service.rows(`update idempotent_replies set created_at = now() - interval '25 hours'`)
  await note(service, { ...request, first: 5, key: 'a' })
  await eventually(async () => expect(await service.rows('select from handled_entries')).toHaveLength(2))
})
