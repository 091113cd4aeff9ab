import { randomUUID } from 'node:crypto'
import { createRefund } from '@quittance/contracts/refunds'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { customerCaller } from '@quittance/testing/callers'
import { connectTo } from '@quittance/testing/database'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { claimStatement as claimPayments } from '../src/payments/settle-due-payments.ts'
import { claimStatement } from '../src/subscriptions/renew-due-subscriptions.ts'
import { copyRows } from './copy-rows.ts'
import { asThisRelease } from './money.ts'
import { startOrders } from './start-orders.ts'
import { storeBySetup } from './stored-method.ts'
import { createPlan, replaceMethods, subscribe, type Subscribed } from './subscribe.ts'
import { watchTurns } from './watch-turns.ts'

const past = (age: string) => `now() - interval '${age}'`
const isChecked = '(leased_until is null and next_check_at <= now()) is not true'

test('renews the subscription of another organization before most of 300 that were due earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [await subscribe(orders, { price: 0 }), await subscribe(orders, { price: 0 })]
  const { id } = first.subscription
  await orders.rows(`update subscriptions set current_period_end = ${past('1 day')}, current_period_start = ${past('31 days')}`)
  const changed = `jsonb_build_object('checkout_id', null, 'due_at', ${past('1 hour')})`
  await copyRows(orders, { table: 'subscriptions', id, count: 300, changed })
  const countRenewed = await watchTurns(orders, { table: 'subscriptions', handled: 'current_period_end > now()', backlog: first, other })
  await orders.rows(`update subscriptions set due_at = ${past('1 minute')} where id = $1`, [other.subscription.id])
  expect(await countRenewed()).toBeLessThan(150)
})

/** Explains a claim beside 20,000 due subscriptions of one organization and 20,000 later ones of others. Rolls back, so that no job claims one. */
const measureClaim = (claim: string) => `
  create function claim_beside_backlog(backlog uuid, organizations int) returns text language plpgsql as $test$ declare plan json; begin
    begin
      set local session_replication_role = replica;
      insert into subscriptions select copy.* from subscriptions t, generate_series(1, 40000) n, jsonb_populate_record(t,
        jsonb_build_object('id', gen_random_uuid(), 'checkout_id', null, 'leased_until', null, 'copy', n) || case
          when n <= 20000 then jsonb_build_object('organization_id', backlog, 'due_at', now() - interval '1 day' + n * interval '1 second')
          else jsonb_build_object('organization_id', md5((n % organizations)::text)::uuid, 'due_at', now() + interval '1 day') end) copy;
      analyze subscriptions;
      execute $claim$ explain (analyze, buffers, format json) ${claim} $claim$ into plan;
      raise exception '% rows, % blocks', plan #> '{0,Plan,Actual Rows}', plan #> '{0,Plan,Shared Hit Blocks}';
    exception when raise_exception then return sqlerrm; end; end $test$`

// One claim looks at 500 organizations: at the busy one always if there are fewer.
test.each([10, 4_000])('claims renewals at a bounded cost beside many that are due and %i organizations', async (organizations) => {
  await using orders = await startOrders()
  const { organizationId } = await subscribe(orders, { price: 0 })
  await orders.rows(measureClaim(claimStatement.replaceAll(':lease', '1000')))
  const measured = 'select claim_beside_backlog($1, $2) as cost'
  const [{ cost } = { cost: '' }] = await orders.rows<{ cost: string }>(measured, [organizationId, organizations])
  expect(cost).toMatch(/^20\.?0* rows/)
  expect(Number(/(\d+) blocks/.exec(cost)?.[1])).toBeLessThan(8_000)
})

/**
 * Explains a claim beside 10,000 due payments of a busy account, 10,000 later ones of other organizations and 20,000 that are not checked again.
 * Rolls back, as above.
 */
const measurePayments = (claim: string) => `
  create function claim_beside_busy(account uuid, organizations int) returns text language plpgsql as $test$ declare plan json; names text; begin
    select string_agg(quote_ident(attname), ', ') into names from pg_attribute
      where attrelid = 'payments'::regclass and attnum > 0 and not attisdropped and attgenerated = '';
    begin
      set local session_replication_role = replica;
      execute format($copy$ insert into payments (%1$s) select %1$s from (select copy.* from payments t, generate_series(1, 40000) n,
        jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'order_id', gen_random_uuid(), 'leased_until', null, 'copy', n) || case
          when n <= 10000 then jsonb_build_object('payment_account_id', %2$L::uuid, 'provider', 'stripe', 'provider_payment', n,
            'next_check_at', now() - interval '1 day' + n * interval '1 second')
          else jsonb_build_object('organization_id', md5((n %% %3$s)::text)::uuid, 'next_check_at', now() + interval '1 day') end || case
          when n > 20000 then jsonb_build_object('next_check_at', null, 'quarantined_at', now(), 'quarantine_reason', 'test') else '{}' end) copy)
        c $copy$, names, account, organizations);
      analyze payments;
      execute $claim$ explain (analyze, buffers, format json) ${claim} $claim$ into plan using account;
      raise exception '% rows, % blocks', plan #> '{0,Plan,Actual Rows}', plan #> '{0,Plan,Shared Hit Blocks}';
    exception when raise_exception then return sqlerrm; end; end $test$`

test.each([400, 4_000])('claims payments at a bounded cost beside 10,000 of a busy account and %i organizations', async (organizations) => {
  await using orders = await startOrders()
  await orders.pendingOrder()
  await orders.rows(measurePayments(claimPayments.replaceAll(':lease', '1000').replaceAll(':limit', '20').replaceAll(':busy', 'array[$1]')))
  const measured = 'select claim_beside_busy(gen_random_uuid(), $1) as cost'
  const [{ cost } = { cost: '' }] = await orders.rows<{ cost: string }>(measured, [organizations])
  expect(cost).toMatch(/^0\.?0* rows/)
  expect(Number(/(\d+) blocks/.exec(cost)?.[1])).toBeLessThan(8_000)
})

test('handles the provider event of another organization before most of 5,000 that arrived earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [randomUUID(), randomUUID()]
  const organizations = { backlog: { organizationId: first }, other: { organizationId: other } }
  const countHandled = await watchTurns(orders, { table: 'provider_events', handled: 'handled_at is not null', ...organizations })
  await orders.rows(`begin; set local session_replication_role = replica;
    insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at)
    select case n when 5001 then '${other}' else '${first}' end::uuid, case n when 5001 then '${other}' else '${first}' end::uuid, 'evt_' || n,
      'mandate.updated', 'mandate', 'mandate_' || n, 'push', now(), now() - interval '1 hour' + n * interval '1 millisecond'
    from generate_series(1, 5001) n; commit`)
  expect(await countHandled()).toBeLessThan(2_500)
})

test('checks the payment of another organization before most of 500 that were due earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [await orders.pendingOrder(), await orders.pendingOrder()]
  const pending = `state = 'processing' and next_check_at > now()`
  await eventually(async () => expect(await orders.rows(`select from payments where ${pending}`)).toHaveLength(2))
  const [payment] = await orders.rows<{ id: string }>('select id from payments where organization_id = $1', [first.organizationId])
  const changed = `jsonb_build_object('order_id', gen_random_uuid(), 'next_check_at', ${past('1 hour')})`
  await copyRows(orders, { table: 'payments', id: payment?.id ?? '', count: 500, changed })
  const countChecked = await watchTurns(orders, { table: 'payments', handled: isChecked, backlog: first, other })
  await asThisRelease(orders, `update payments set next_check_at = ${past('1 minute')} where organization_id = '${other.organizationId}'`)
  expect(await countChecked()).toBeLessThan(250)
})

test('checks the refund of another organization before most of 500 that were due earlier', async () => {
  await using orders = await startOrders()
  const refund = async () => {
    const { order, seller, organizationId } = await orders.paidOrder({ billed: false })
    const { id } = await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 100 }, seller)
    return { id, organizationId }
  }
  const [first, other] = [await refund(), await refund()]
  await copyRows(orders, { table: 'refunds', id: first.id, count: 500, changed: `jsonb_build_object('next_check_at', ${past('1 hour')})` })
  const countChecked = await watchTurns(orders, { table: 'refunds', handled: isChecked, backlog: first, other })
  await asThisRelease(orders, `update refunds set next_check_at = ${past('1 minute')} where id = '${other.id}'`)
  expect(await countChecked()).toBeLessThan(250)
})

test('checks the setup of another organization before most of 500 that were due earlier', async () => {
  await using orders = await startOrders()
  const setUp = async () => {
    const { organizationId, order } = await orders.paidOrder({ billed: false })
    await storeBySetup(orders, customerCaller({ organizationId, customerId: order.customer_id }))
    const [row] = await orders.rows<{ id: string }>('select id from payment_setups where organization_id = $1', [organizationId])
    return { organizationId, id: row?.id ?? '' }
  }
  const [first, other] = [await setUp(), await setUp()]
  const changed = `jsonb_build_object('provider_setup', gen_random_uuid(), 'next_check_at', ${past('1 hour')})`
  await copyRows(orders, { table: 'payment_setups', id: first.id, count: 500, changed })
  const countChecked = await watchTurns(orders, { table: 'payment_setups', handled: isChecked, backlog: first, other })
  await orders.rows(`update payment_setups set next_check_at = ${past('1 minute')} where id = $1`, [other.id])
  expect(await countChecked()).toBeLessThan(250)
})

test('detaches the method of another organization before most of 200 that were due earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [await subscribe(orders), await subscribe(orders)]
  const detachFrom = async ({ organizationId }: Subscribed, age: string) => {
    const due = `status = 'detached', is_default = false, detach_due_at = ${past(age)}`
    const [row] = await orders.rows<{ id: string }>(`update payment_methods set ${due} where organization_id = $1 returning id`, [
      organizationId,
    ])
    return row?.id ?? ''
  }
  const id = await detachFrom(first, '1 hour')
  await copyRows(orders, { table: 'payment_methods', id, count: 200, changed: `jsonb_build_object('provider_method', gen_random_uuid())` })
  const countDetached = await watchTurns(orders, { table: 'payment_methods', handled: 'detach_due_at is null', backlog: first, other })
  await detachFrom(other, '1 minute')
  await orders.rows(`select pg_notify('wake', 'detach-payment-methods')`)
  expect(await countDetached()).toBeLessThan(100)
})

test('reads the dispute of another organization before most of 500 that were due earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [randomUUID(), randomUUID()]
  const organizations = { backlog: { organizationId: first }, other: { organizationId: other } }
  const countRead = await watchTurns(orders, { table: 'disputes', handled: isChecked, ...organizations })
  // Each has another account, so that the limit of calls for one account does not keep them back.
  await orders.rows(`begin; set local session_replication_role = replica;
    insert into disputes (id, created_at, organization_id, payment_id, payment_account_id, provider_dispute, status, amount, currency, reason,
      next_check_at)
    select gen_random_uuid(), now(), case n when 501 then '${other}' else '${first}' end::uuid, gen_random_uuid(), gen_random_uuid(), 'du_' || n,
      'needs_response', 100, 'usd', 'general', now() - interval '1 hour' + n * interval '1 millisecond' from generate_series(1, 501) n; commit`)
  const waiting = 'select from disputes where organization_id = $1 and next_check_at <= now()'
  await eventually(async () => {
    await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
    expect(await orders.rows(waiting, [other])).toHaveLength(0)
  })
  expect(await countRead()).toBeLessThan(250)
})

test('charges the final order of another organization before most of 300 that were due earlier', async () => {
  await using orders = await startOrders()
  const [first, other] = [await subscribe(orders), await subscribe(orders)]
  const owe = async ({ organizationId }: Subscribed, count: number) => {
    const [row] = await orders.rows<{ id: string }>('select id from orders where organization_id = $1', [organizationId])
    const age = count === 1 ? '1 minute' : '1 hour'
    const changed = `jsonb_build_object('status', 'pending', 'paid_at', null, 'next_payment_attempt_at', ${past(age)}, 'checkout_id', null, 'period_start', null,
      'billing_reason', 'subscription_update', 'invoice_id', null, 'invoice_number', null)`
    await copyRows(orders, { table: 'orders', id: row?.id ?? '', count, changed })
  }
  const handled = `billing_reason = 'subscription_update' and next_payment_attempt_at is null`
  const countCharged = await watchTurns(orders, { table: 'orders', handled, backlog: first, other })
  await owe(first, 300)
  await owe(other, 1)
  await orders.rows(`select pg_notify('wake', 'retry-final-orders')`)
  expect(await countCharged()).toBeLessThan(150)
})

test('ends canceled subscriptions at once, and shares the claims between organizations', async () => {
  await using orders = await startOrders()
  const [first, other] = [await subscribe(orders, { price: 0 }), await subscribe(orders, { price: 0 })]
  const canceled = (
    age: string,
  ) => `jsonb_build_object('checkout_id', null, 'due_at', null, 'cancel_at_period_end', true, 'leased_until', null,
    'canceled_at', ${past('2 days')}, 'current_period_start', ${past('31 days')}, 'current_period_end', ${past(age)}, 'ends_at', ${past(age)})`
  const countEnded = await watchTurns(orders, { table: 'subscriptions', handled: 'ended_at is not null', backlog: first, other })
  await copyRows(orders, { table: 'subscriptions', id: first.subscription.id, count: 300, changed: canceled('1 hour') })
  await copyRows(orders, { table: 'subscriptions', id: other.subscription.id, count: 1, changed: canceled('1 minute') })
  expect(await countEnded()).toBeLessThan(150)
  const ended = 'select modified_at as at from subscriptions where organization_id = $1 and ended_at is not null order by 1'
  const all = await eventually(async () => {
    const rows = await orders.rows<{ at: Date }>(ended, [first.organizationId])
    expect(rows).toHaveLength(300)
    return rows
  })
  // With one batch of 20 per second, nearly a second would pass before each of the 14 later ones.
  const pauses = all.filter(({ at }, index) => at.getTime() - (all[index - 1]?.at ?? at).getTime() > 700)
  expect(pauses.length).toBeLessThan(7)
})

test('a locked customer of a canceled subscription delays no renewal of another organization', async () => {
  await using orders = await startOrders()
  const [locked, other] = [await subscribe(orders, { price: 0 }), await subscribe(orders, { price: 0 })]
  const client = await connectTo(orders.databaseUrl ?? '')
  try {
    await client.query(`begin; select from customers where id = '${locked.subscription.customer_id}' for update`)
    await orders.rows(
      `update subscriptions set current_period_start = ${past('31 days')}, current_period_end = ${past('1 day')}, due_at = null`,
    )
    await orders.rows(
      `update subscriptions set cancel_at_period_end = true, canceled_at = ${past('2 days')}, ends_at = current_period_end where id = $1`,
      [locked.subscription.id],
    )
    await orders.rows(`update subscriptions set due_at = ${past('1 minute')} where id = $1`, [other.subscription.id])
    const renewed = 'select from subscriptions where id = $1 and current_period_end > now()'
    await eventually(async () => expect(await orders.rows(renewed, [other.subscription.id])).toHaveLength(1), { withinMs: 20_000 })
  } finally {
    await client.end()
  }
})

test('undoes the unpaid change of another organization although 20 of the first always fail', async () => {
  await using orders = await startOrders()
  const [failing, other] = [await subscribe(orders, { price: 1000 }), await subscribe(orders, { price: 1000 })]
  await replaceMethods(orders, 'ctoken_pending')
  for (const { seller, subscription } of [failing, other]) {
    const { id: product_id } = await createPlan(orders, seller, { price: 3000 })
    await orders.call(updateSubscription, { id: subscription.id, product_id, proration_behavior: 'invoice' }, seller)
  }
  const [change] = await eventually(async () => {
    const rows = await orders.rows<{ id: string }>('select order_id as id from unpaid_changes order by organization_id = $1 desc', [
      failing.organizationId,
    ])
    expect(rows).toHaveLength(2)
    return rows
  })
  const ofFailing = `organization_id = '${failing.organizationId}'`
  const changed = `jsonb_build_object('id', lpad(n::text, 32, '0')::uuid, 'checkout_id', null, 'invoice_id', null, 'invoice_number', null)`
  await copyRows(orders, { table: 'orders', id: change?.id ?? '', count: 20, changed })
  await orders.rows(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'always fails'; end $$;
    create trigger refuse before delete on unpaid_changes for each row when (old.${ofFailing}) execute function refuse();
    begin; set local session_replication_role = replica;
    insert into unpaid_changes select copy.* from unpaid_changes u, generate_series(1, 20) n,
      jsonb_populate_record(u, jsonb_build_object('order_id', lpad(n::text, 32, '0')::uuid)) copy where u.${ofFailing};
    update unpaid_changes set created_at = now() - interval '2 days';
    delete from payments where order_id in (select order_id from unpaid_changes); commit`)
  await eventually(async () => {
    await orders.rows(`select pg_notify('wake', 'finish-unpaid-changes')`)
    expect(await orders.rows('select distinct organization_id from unpaid_changes')).toEqual([{ organization_id: failing.organizationId }])
  })
})
