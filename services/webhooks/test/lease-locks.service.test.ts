import { createSystemSql } from '@quittance/sql/sql-runner'
import { cloneDatabase, connectTo } from '@quittance/testing/database'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { database } from '../src/database.ts'
import type { EndpointQueue } from '../src/queue/endpoint-queue.ts'
import { renewLeases } from '../src/queue/queue-store.ts'

const [low, high] = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff']

test('leases are renewed in the order of their ids, as results are stored: neither waits for the other', async () => {
  const cloned = await cloneDatabase('webhooks', database)
  const [storing, renewing] = [await connectTo(cloned.url), await connectTo(cloned.url)]
  try {
    // Endpoints do not matter here. The higher id is the first row.
    await storing.query('set session_replication_role = replica')
    await storing.query(
      `insert into webhook_lanes (endpoint_id, owner, leased_until) select id, gen_random_uuid(), now() from unnest($1::uuid[]) id`,
      [[high, low]],
    )
    await storing.query('begin')
    await storing.query('select from webhook_lanes where endpoint_id = $1 for update', [low])
    const execute = async ({ text }: { text: string }, values: unknown[]) => (await renewing.query(text, values)).rows
    const context = { systemSql: createSystemSql({ execute: execute as never }, 'a test'), leaseMs: 10_000 }
    const queues = [high, low].map((endpointId) => ({ lease: { endpointId, epoch: '0' } }) as EndpointQueue)
    const renewed = renewLeases(context, queues)
    await eventually(async () => {
      const { rowCount } = await storing.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if (rowCount !== 1) throw new Error('does not wait yet')
    })
    await storing.query('select from webhook_lanes where endpoint_id = $1 for update nowait', [high])
    await storing.query('commit')
    expect(await renewed).toEqual(new Set([low, high]))
  } finally {
    await Promise.all([storing.end(), renewing.end()])
    await cloned.drop()
  }
})
