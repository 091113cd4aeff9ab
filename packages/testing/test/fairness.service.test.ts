import { randomUUID } from 'node:crypto'
import type { Transaction } from '@quittance/runtime/handler'
import { systemCaller } from '@quittance/runtime/transaction'
import { expect, test } from 'vitest'
import { startTestService } from '../src/harness.ts'
import { anyScope, ledger, noteEntries } from './ledger.ts'

const organization = () => systemCaller(randomUUID())

test('requests of one organization that hold all it may have do not delay another', async () => {
  const slowAccount = randomUUID()
  const release = Promise.withResolvers<void>()
  const beforeNote = async ({ sql }: Transaction, account: string) => {
    await sql('before-note', `select 1 where ${anyScope}`)
    if (account === slowAccount) await release.promise
  }
  await using service = await startTestService(ledger({ beforeNote }))
  const [slow, other] = [organization(), organization()]
  const finished: string[] = []
  const slowRequests = Array.from({ length: 30 }, () =>
    service.call(noteEntries, { account: slowAccount, first: 0, count: 1 }, slow).then(() => finished.push('slow')),
  )
  await service.call(noteEntries, { account: randomUUID(), first: 0, count: 1 }, other)
  finished.push('other')
  release.resolve()
  await Promise.all(slowRequests)
  expect(finished).toHaveLength(31)
  expect(finished[0]).toBe('other')
})

test('a request that waits for a lock beyond the limit is a 503, and its connection is used again', async () => {
  await using service = await startTestService(
    ledger({ beforeNote: ({ sql }) => sql('lock', `select pg_advisory_xact_lock(7) where ${anyScope}`) }),
  )
  const unlock = await service.holdTransaction('select pg_advisory_xact_lock(7)')
  const request = { account: randomUUID(), first: 0, count: 1 }
  const blocked = await Promise.allSettled(Array.from({ length: 8 }, () => service.call(noteEntries, request, organization())))
  for (const each of blocked) expect(each).toMatchObject({ status: 'rejected', reason: { status: 503 } })
  await unlock()
  expect(await service.call(noteEntries, request, organization())).toEqual({ noted: 1 })
})

test('a statement that runs beyond the limit is canceled: no caller waits for it any more', async () => {
  await using service = await startTestService(ledger({ beforeNote: ({ sql }) => sql('sleep', `select pg_sleep(60) where ${anyScope}`) }))
  const request = { account: randomUUID(), first: 0, count: 1 }
  await expect(service.call(noteEntries, request, organization())).rejects.toThrow('took too long in the database')
  const running =
    await service.rows(`select 1 from pg_stat_activity where datname = current_database() and query like '%pg_sleep%' and state = 'active'
    and pid <> pg_backend_pid()`)
  expect(running).toEqual([])
})
