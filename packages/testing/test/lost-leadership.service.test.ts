import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { connectTo } from '../src/database.ts'
import { eventually } from '../src/eventually.ts'
import { startFaultyStream } from './faulty-stream.ts'
import { entryNoted, ledger } from './ledger.ts'
import { natsServersUnderTest } from './nats-servers.ts'
import { createEvents, prepareLedger } from './prepare-ledger.ts'

/** Key of the advisory lock of the consumer. */
const leadership = createHash('sha256').update('consumer orders-entries').digest().readBigInt64BE().toString()

const note = `
  insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at)
  values ($1, $2, $3, json_build_object('account', $3::uuid, 'position', $4::int), now())`

test('a batch that lost its leader is handled, also if the stream then loses the end of it', async () => {
  const [program = ''] = await natsServersUnderTest()
  await using stream = await startFaultyStream(program)
  const prepared = await prepareLedger(stream, { definition: ledger({ isCopy: true }), level: 'silent' })
  const { database } = prepared
  const other = await connectTo(prepared.url)
  const account = randomUUID()
  const publish = async (position: number) => {
    await database.query(note, [randomUUID(), entryNoted.subject, account, position])
    const unpublished = 'select from outbox_messages where published_at is null'
    await eventually(async () => expect((await database.query(unpublished)).rows).toHaveLength(0))
  }
  await database.query('select pg_advisory_lock($1)', [leadership])
  const running = await prepared.start()
  try {
    await publish(0)
    await stream.copyStore()
    await publish(1)
    // Both are handled in one transaction, which waits for this lock.
    await other.query('begin; lock table handled_entries in access exclusive mode')
    await database.query('select pg_advisory_unlock($1)', [leadership])
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await eventually(async () => expect((await database.query(waiting)).rows).toHaveLength(1))
    // The database ends all connections of the service, and another replica leads.
    const next = database.query('select pg_advisory_lock($1)', [leadership])
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'quittance%'`)
    await next
    await other.query('commit')
    await stream.rollBack(createEvents(3))
    await eventually(async () => {
      const { rows } = await database.query('select max(stream_sequence)::int as last from outbox_messages')
      expect(rows).toEqual([{ last: 5 }])
    })
    await database.query('select pg_advisory_unlock($1)', [leadership])
    await eventually(async () => {
      const { rows } = await database.query('select position from handled_entries where account = $1 order by number', [account])
      expect(rows).toEqual([{ position: 0 }, { position: 1 }])
    })
  } finally {
    await running.stop()
    await other.end()
    await prepared.close()
  }
})
