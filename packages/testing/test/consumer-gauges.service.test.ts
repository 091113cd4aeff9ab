import { createHash, randomUUID } from 'node:crypto'
import { metrics } from '@quittance/runtime/metrics'
import { expect, test } from 'vitest'
import { connectTo } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'
import { startTestService } from '../src/harness.ts'
import { ledger, noteEntries } from './ledger.ts'

/** Key of the advisory lock of the consumer. */
const lock = createHash('sha256').update('consumer orders-entries').digest().readBigInt64BE().toString()

async function read(name: 'consumer_pending_messages' | 'consumer_parked_messages'): Promise<number> {
  const page = await metrics.getSingleMetricAsString(name)
  return Number(/^\w+\{consumer="orders-entries"[^}]*\} (\d+)$/m.exec(page)?.[1])
}

test('a replica that lost the leadership of a consumer reports no waiting and no parked messages', async () => {
  let isFailing = true
  // The first wait lets all events arrive in the stream; at the second one some of them are still waiting there.
  const waits = new Map(
    [100, 300].map((position) => [position, { reached: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() }]),
  )
  const release = () => waits.forEach(({ released }) => released.resolve())
  await using service = await startTestService(
    ledger({
      async onEntry(position) {
        if (position === 0 && isFailing) throw new Error('on purpose')
        waits.get(position)?.reached.resolve()
        await waits.get(position)?.released.promise
      },
    }),
  )
  const other = await connectTo(service.databaseUrl as string)
  try {
    const anonymous = { kind: 'anonymous' } as const
    await service.call(noteEntries, { account: randomUUID(), first: 0, count: 1 }, anonymous)
    await eventually(async () => expect(await read('consumer_parked_messages')).toBe(1))
    // A second key, so that these do not wait behind the failing one.
    await service.call(noteEntries, { account: randomUUID(), first: 90, count: 300 }, anonymous)
    await waits.get(100)?.reached.promise
    const unpublished = 'select from outbox_messages where published_at is null'
    await eventually(async () => expect(await service.rows(unpublished)).toEqual([]))
    waits.get(100)?.released.resolve()
    await waits.get(300)?.reached.promise
    await eventually(async () => expect(await read('consumer_pending_messages')).toBeGreaterThan(0))
    const next = other.query('select pg_advisory_lock($1)', [lock])
    await service.rows(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quittance consumers'
      and datname = current_database()`)
    release()
    await next
    await eventually(async () => expect([await read('consumer_pending_messages'), await read('consumer_parked_messages')]).toEqual([0, 0]))
    isFailing = false
    await other.query('select pg_advisory_unlock($1)', [lock])
    await eventually(async () => expect(await service.rows('select count(*)::int as count from handled_entries')).toEqual([{ count: 301 }]))
  } finally {
    release()
    await other.end()
  }
})
