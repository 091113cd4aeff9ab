import { randomUUID } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { claimStatement } from '../src/subscriptions/renew-due-subscriptions.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { subscribe } from './subscribe.ts'

/** Copies a row so many times, without triggers. `changed` is SQL of an object: what differs in each copy. */
async function copyRow(
  orders: OrdersUnderTest,
  { table, id, count, changed }: { table: string; id: string; count: number; changed: string },
) {
  await orders.rows(`begin; set local session_replication_role = replica;
    insert into ${table} select copy.* from ${table} t, generate_series(1, ${count}) n,
      jsonb_populate_record(t, ${changed} || jsonb_build_object('id', gen_random_uuid(), 'copy', n)) copy where t.id = '${id}';
    commit`)
}

test('renews the subscription of another organization before most of 300 that were due earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [await subscribe(orders, { price: 0 }), await subscribe(orders, { price: 0 })]
  const { id } = first.subscription
  const past = (age: string) => `now() - interval '${age}'`
  await orders.rows(`update subscriptions set current_period_end = ${past('1 day')}, current_period_start = ${past('31 days')}`)
  const changed = `jsonb_build_object('checkout_id', null, 'due_at', ${past('1 hour')})`
  await copyRow(orders, { table: 'subscriptions', id, count: 300, changed })
  await orders.rows(`update subscriptions set due_at = ${past('1 minute')} where id = $1`, [other.subscription.id])
  const renewed = (organizationId: string) =>
    orders.rows(`select from subscriptions where organization_id = $1 and current_period_end > now()`, [organizationId])
  await eventually(async () => expect(await renewed(other.organizationId)).toHaveLength(1))
  expect((await renewed(first.organizationId)).length).toBeLessThan(150)
})

/** Explains a claim beside 20,000 due subscriptions of one organization and 20,000 later ones of 4,000. Rolls back, so that no job claims one. */
const measureClaim = (claim: string) => `
  create function claim_beside_backlog(backlog uuid) returns text language plpgsql as $test$ declare plan json; begin
    begin
      set local session_replication_role = replica;
      insert into subscriptions select copy.* from subscriptions t, generate_series(1, 40000) n, jsonb_populate_record(t,
        jsonb_build_object('id', gen_random_uuid(), 'checkout_id', null, 'leased_until', null, 'copy', n) || case
          when n <= 20000 then jsonb_build_object('organization_id', backlog, 'due_at', now() - interval '1 day' + n * interval '1 second')
          else jsonb_build_object('organization_id', md5((n % 4000)::text)::uuid, 'due_at', now() + interval '1 day') end) copy;
      analyze subscriptions;
      execute $claim$ explain (analyze, buffers, format json) ${claim} $claim$ into plan;
      raise exception '% rows, % blocks', plan #> '{0,Plan,Actual Rows}', plan #> '{0,Plan,Shared Hit Blocks}';
    exception when raise_exception then return sqlerrm; end; end $test$`

test('claims renewals at a bounded cost beside many that are due and many organizations', async () => {
  await using orders = await startOrders()
  const { organizationId } = await subscribe(orders, { price: 0 })
  await orders.rows(measureClaim(claimStatement.replaceAll(':lease', '1000')))
  const [{ cost } = { cost: '' }] = await orders.rows<{ cost: string }>('select claim_beside_backlog($1) as cost', [organizationId])
  expect(cost).toMatch(/^20\.?0* rows/)
  expect(Number(/(\d+) blocks/.exec(cost)?.[1])).toBeLessThan(8_000)
})

test('handles the provider event of another organization before most of 5,000 that arrived earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [randomUUID(), randomUUID()]
  await orders.rows(`begin; set local session_replication_role = replica;
    insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at)
    select case n when 5001 then '${other}' else '${first}' end::uuid, case n when 5001 then '${other}' else '${first}' end::uuid, 'evt_' || n,
      'mandate.updated', 'mandate', 'mandate_' || n, 'push', now(), now() - interval '1 hour' + n * interval '1 millisecond'
    from generate_series(1, 5001) n; commit`)
  const handled = (organizationId: string) =>
    orders.rows(`select from provider_events where organization_id = $1 and handled_at is not null`, [organizationId])
  await eventually(async () => expect(await handled(other)).toHaveLength(1))
  expect((await handled(first)).length).toBeLessThan(2_500)
})

test('checks the payment of another organization before most of 500 that were due earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [await orders.pendingOrder(), await orders.pendingOrder()]
  const pending = `state = 'processing' and next_check_at > now()`
  await eventually(async () => expect(await orders.rows(`select from payments where ${pending}`)).toHaveLength(2))
  const columns = await orders.rows<{ name: string }>(
    `select column_name as name from information_schema.columns where table_name = 'payments' and is_generated = 'NEVER'`,
  )
  const names = columns.map(({ name }) => name)
  await orders.rows(`begin; set local session_replication_role = replica;
    insert into payments (${names.join(', ')}) select ${names.map((name) => `copy.${name}`).join(', ')}
    from payments t, generate_series(1, 500) n, jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
      'order_id', gen_random_uuid(), 'next_check_at', now() - interval '1 hour', 'copy', n)) copy
    where t.organization_id = '${first.organizationId}';
    update payments set next_check_at = now() - interval '1 minute' where organization_id = '${other.organizationId}'; commit`)
  const checked = (organizationId: string) =>
    orders.rows(`select from payments where organization_id = $1 and (leased_until is not null or next_check_at > now())`, [organizationId])
  await eventually(async () => expect(await checked(other.organizationId)).toHaveLength(1))
  expect((await checked(first.organizationId)).length).toBeLessThan(250)
})
