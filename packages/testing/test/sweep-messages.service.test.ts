import { expect, test } from 'vitest'
import { eventually } from '../src/eventually.ts'
import { startTestService, type TestService } from '../src/harness.ts'
import { ledger } from './ledger.ts'

const expired = 2_500

/** Stores expired and recent rows in each table that the relay sweeps. */
async function storeRows({ rows }: TestService): Promise<void> {
  const event = (publishedAt: string, count: number) => `
    insert into outbox_messages (id, subject, aggregate_id, payload, occurred_at, published_at)
    select gen_random_uuid(), 'event.test.swept', gen_random_uuid(), '{}', now() - interval '9 days', ${publishedAt} from generate_series(1, ${count})`
  await rows(event(`now() - interval '8 days'`, expired))
  await rows(event(`now() - interval '6 days'`, 2))
  await rows(event(`now() - interval '8 days'`, 1))
  for (const [age, count] of [
    ['31 days', expired],
    ['29 days', 2],
  ] as const)
    await rows(`insert into inbox_messages (consumer, message_id, received_at)
      select 'test', gen_random_uuid(), now() - interval '${age}' from generate_series(1, ${count})`)
  for (const [age, count] of [
    ['25 hours', expired],
    ['23 hours', 2],
  ] as const)
    await rows(`insert into idempotent_replies (key_hash, request_hash, reply_sealed, created_at)
      select encode(sha256(gen_random_uuid()::text::bytea), 'hex'), '${'0'.repeat(64)}', '', now() - interval '${age}' from generate_series(1, ${count})`)
}

test('expired events, receipts and replies are deleted in small batches, and recent ones kept', async () => {
  await using service = await startTestService(ledger())
  await storeRows(service)
  await service.rows('create table deletions (name text, count int)')
  await service.rows(`create function note_deletion() returns trigger language plpgsql security definer as $$
    begin insert into deletions select tg_table_name, count(*) from gone; return null; end $$`)
  const tables = ['outbox_messages', 'inbox_messages', 'idempotent_replies']
  for (const table of tables)
    await service.rows(`create trigger note_deletion after delete on ${table} referencing old table as gone
      for each statement execute function note_deletion()`)
  await service.restart()
  const count = async (table: string) => (await service.rows(`select from ${table}`)).length
  // In the order of positions, an event within its time keeps those after it.
  await eventually(async () => expect(await Promise.all(tables.map(count))).toEqual([3, 2, 2]))
  const [largest] = await service.rows<{ count: number }>('select max(count) as count from deletions')
  expect(largest?.count).toBeLessThanOrEqual(1_000)
})
