import { orderPaid } from '@quittance/contracts/orders'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { countBlocks, recordStatements } from '@quittance/testing/record-statements'
import { expect, test } from 'vitest'
import { startWebhooks } from './start-webhooks.ts'

test('drops expired partitions with their rows, creates the next ones and keeps recent rows', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.publishEvents([orderPaid])
  await webhooks.attempts(endpoint, 1)
  const tables = ['webhook_events', 'webhook_deliveries', 'webhook_attempts']
  for (const table of tables)
    await webhooks.rows(`select ensure_webhook_partitions($1, $2, now() - interval '400 days', now() - interval '390 days')`, [
      table,
      table === 'webhook_attempts' ? 7 : 30,
    ])
  await webhooks.rows(
    `insert into webhook_events (id, occurred_at, organization_id, type, aggregate_id, payload)
    select gen_random_uuid(), now() - interval '395 days', $1, 'order.paid', gen_random_uuid(), '{}'`,
    [webhooks.organizationId],
  )
  // A wrong clock: such rows belong to no partition.
  await webhooks.rows(
    `insert into webhook_events (id, occurred_at, organization_id, type, aggregate_id, payload)
    select gen_random_uuid(), now() - interval '9 years', $1, 'order.paid', gen_random_uuid(), '{}'`,
    [webhooks.organizationId],
  )
  await webhooks.restart()
  const oldest = () =>
    webhooks.rows<{ name: string }>(
      `select relname as name from pg_class where relname ~ '^webhook_(events|deliveries|attempts)_[0-9]{8}$' and right(relname, 8)::date < now() - interval '130 days'`,
    )
  await eventually(async () => expect(await oldest()).toEqual([]))
  await eventually(async () => expect(await webhooks.rows('select from webhook_events')).toHaveLength(1))
  expect(await webhooks.rows('select from webhook_events_default')).toHaveLength(0)
  const ahead = await webhooks.rows<{ count: number }>(
    `select count(*)::int as count from pg_class where relname ~ '^webhook_(events|deliveries|attempts)_[0-9]{8}$' and right(relname, 8)::date > now()`,
  )
  expect(ahead[0]?.count).toBeGreaterThanOrEqual(6)
  await webhooks.attempts(endpoint, 1)
})

test('finds an event that is republished much later in its partition; adds no delivery', async () => {
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  const [id = ''] = await webhooks.publishEvents([orderPaid])
  await webhooks.attempts(endpoint, 1)
  const again = `insert into webhook_events (id, occurred_at, organization_id, type, aggregate_id, payload)
    select id, occurred_at, organization_id, type, aggregate_id, payload from webhook_events where id = $1`
  await expect(webhooks.rows(again, [id])).rejects.toThrow('duplicate key')
})

test('a queue that lost its due time delivers again; the search reads no idle endpoints', async () => {
  using statements = recordStatements()
  await using webhooks = await startWebhooks()
  await using sink = await startEndpointSink()
  const endpoint = await webhooks.endpoint({ url: sink.url })
  await webhooks.rows(`begin; set local session_replication_role = replica;
    insert into webhook_lanes (endpoint_id) select gen_random_uuid() from generate_series(1, 5000);
    commit`)
  await webhooks.publishEvents([orderPaid])
  await webhooks.attempts(endpoint, 1)
  await eventually(async () => expect(await webhooks.rows('select from webhook_lanes where owner is not null')).toEqual([]))
  await webhooks.rows(`update webhook_deliveries set status = 'pending', next_attempt_at = now()`)
  await webhooks.rows(`select pg_notify('wake', 'repair-queues')`)
  await webhooks.attempts(endpoint, 2)
  await webhooks.rows('vacuum analyze webhook_lanes')
  expect(await countBlocks(webhooks, statements.find('update webhook_lanes l set next_due_at = d.next_due_at'))).toBeLessThan(200)
})
