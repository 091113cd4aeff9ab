import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { createPaymentAccount } from '@quittance/contracts/payment-accounts'
import { replayProviderEvents } from '@quittance/contracts/payment-operations'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease } from './money.ts'
import { buildIntent, callKey, pay } from './stripe-contract-cases.ts'
import { buildAccountRequest, catchUp, startStripeShop, toWorld, type StripeShop } from './stripe-shop.ts'

const events = ({ orders }: StripeShop) =>
  orders.rows('select object_kind, object, source, outcome, attempts from provider_events order by occurred_at, object_kind')

test('finds what webhooks lost: payments, refunds and disputes of the dashboard [payments 41]', async () => {
  await using shop = await startStripeShop()
  const { fake, stripe } = shop
  const { theirs } = await pay(toWorld(shop), 'pm_card_visa')
  const refund = fake.bank.refundInDashboard(stripe.id, theirs, 100)
  const dispute = fake.bank.openDispute(stripe.id, theirs)
  await catchUp(shop)
  await eventually(async () => {
    const found = await events(shop)
    for (const [object_kind, object] of [
      ['charge', theirs],
      ['refund', refund],
      ['dispute', dispute],
    ]) {
      expect(found).toContainEqual(expect.objectContaining({ object_kind, object, source: 'catch_up' }))
    }
  })
  const stored = (await events(shop)).length
  await catchUp(shop)
  await eventually(async () => {
    const [row] = await shop.orders.rows<{ is_done: boolean }>(`select settings ? 'caught_up_at' as is_done from payment_accounts`)
    expect(row?.is_done).toBe(true)
  })
  expect((await events(shop)).length).toBe(stored)
})

test('a dispute of a charge that other software made is given up, not read for ever', async () => {
  await using shop = await startStripeShop()
  const { fake, stripe, orders } = shop
  const { theirs } = await pay(toWorld(shop), 'pm_card_visa')
  const dispute = fake.bank.openDispute(stripe.id, theirs)
  // It has no payment intent, as charges of older software.
  for (const object of fake.state(stripe.id).disputes.values()) object.payment_intent = null
  await catchUp(shop)
  await eventually(async () => {
    const hurry = `update provider_events set attempts = 10, next_try_at = now() where object = $1 and handled_at is null and leased_until is null`
    await orders.rows(hurry, [dispute])
    await orders.rows(`select pg_notify('wake', 'read-provider-events')`)
    const left = await orders.rows('select outcome from provider_events where object = $1', [dispute])
    expect(left.length).toBeGreaterThan(0)
    for (const event of left) expect(event).toEqual({ outcome: 'not_ours' })
  })
})

test('continues after a provider that does not answer, and lists no account that is disabled', async () => {
  await using shop = await startStripeShop()
  const { fake, stripe, orders } = shop
  fake.inject({ route: 'GET /v1/events', moment: 'before', fault: { kind: 'rate-limit' } })
  await pay(toWorld(shop), 'pm_card_visa')
  await catchUp(shop)
  await eventually(() => expect(fake.calls.filter((call) => call.account === stripe.id && call.status === 429)).toHaveLength(1))
  expect(await events(shop)).toEqual([])
  await catchUp(shop)
  await eventually(async () => expect((await events(shop)).length).toBeGreaterThan(0))
  await orders.rows(`update payment_accounts set status = 'disabled', is_default = false`)
  const before = fake.calls.length
  await catchUp(shop)
  await orders.rows(`select pg_notify('wake', 'read-provider-events')`)
  expect(fake.calls.length).toBe(before)
})

test('the events of an account whose provider hangs keep no event of another account waiting', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, account } = shop
  const other = fake.createAccount()
  const { seller, organizationId } = await orders.shop()
  const { id } = await orders.call(createPaymentAccount, buildAccountRequest(other), seller)
  fake.inject({ route: 'GET /v1/disputes/:id', moment: 'before', fault: { kind: 'timeout' }, times: 1_000 })
  const insert = (count: number, ids: string[]) =>
    orders.rows(
      `insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at)
       select $1, $2, 'evt_' || i, 'charge.dispute.updated', 'dispute', 'dp_' || i, 'push', now(), now() from generate_series(1, ${count}) i`,
      ids,
    )
  await insert(300, [shop.shop.organizationId, account.id])
  await insert(1, [organizationId, id])
  await orders.rows(`select pg_notify('wake', 'read-provider-events')`)
  await eventually(async () => {
    const counted = `select count(*) filter (where payment_account_id = $1 and attempts = 0)::int as waiting,
      count(*) filter (where payment_account_id = $2 and attempts > 0)::int as tried from provider_events`
    const [events] = await orders.rows<{ waiting: number; tried: number }>(counted, [account.id, id])
    expect(events?.tried).toBe(1)
    expect(events?.waiting).toBeGreaterThan(100)
  })
  fake.clearFaults()
})

test('lets the row of an open payment be checked at once, also if it is committed after the event [payments 40]', async () => {
  await using shop = await startStripeShop()
  const { orders, account } = shop
  const { provider } = toWorld(shop)
  const { order } = await orders.pendingOrder()
  const intent = buildIntent({ id: randomUUID() })
  const answer = await provider.prepare(intent, callKey(intent, 'prepare'))
  const theirs = 'got' in answer ? answer.got.theirs : ''
  await orders.rows(
    `insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at)
     values ($1, $2, 'evt_early', 'payment_intent.succeeded', 'charge', $3, 'push', now(), now())`,
    [shop.shop.organizationId, account.id, theirs],
  )
  await eventually(async () => expect(await events(shop)).toMatchObject([{ outcome: null, attempts: 1 }]))
  await asThisRelease(
    orders,
    `update payments set provider = 'stripe', payment_account_id = '${account.id}', organization_id = '${shop.shop.organizationId}',
      provider_payment = '${theirs}', due_at = null, next_check_at = now() + interval '1 day', leased_until = now() + interval '1 day'
     where order_id = '${order.id}'`,
  )
  await eventually(async () => expect(await events(shop)).toMatchObject([{ outcome: 'checked' }]))
  expect(await orders.rows('select next_check_at <= now() as is_due from payments')).toEqual([{ is_due: true }])
})

test('an event whose handling fails is retried with growing delays, and handled once the fault is gone', async () => {
  await using shop = await startStripeShop()
  const { orders, account } = shop
  await orders.rows(`create function fail() returns trigger language plpgsql as $$ begin raise exception 'not possible'; end $$`)
  await orders.rows('create trigger fail before update on payments for each statement execute function fail()')
  await orders.rows(
    `insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at,
       attempts)
     values ($1, $2, 'evt_fails', 'payment_intent.succeeded', 'charge', 'pi_fails', 'push', now(), now(), 4)`,
    [shop.shop.organizationId, account.id],
  )
  await orders.rows(`select pg_notify('wake', 'read-provider-events')`)
  const state = `
    select attempts, leased_until is null as is_free, outcome, next_try_at > now() + interval '30 minutes' as is_later from provider_events`
  await eventually(async () => expect(await orders.rows(state)).toEqual([{ attempts: 5, is_free: true, outcome: null, is_later: true }]))
  await orders.rows('drop trigger fail on payments')
  await orders.rows('update provider_events set next_try_at = now()')
  await orders.rows(`select pg_notify('wake', 'read-provider-events')`)
  await eventually(async () => expect(await orders.rows(state)).toMatchObject([{ attempts: 6, outcome: 'not_ours' }]))
})

test('reads a settled payment again: money that arrives after the end is returned or applied', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, account } = shop
  const { client_secret } = await orders.call(createCheckout, { products: [shop.shop.product.id] }, shop.shop.seller)
  const confirmation_token_id = fake.buyer.createToken(stripe.id, 'pm_card_visa_chargeDeclined')
  const confirmation = { client_secret, confirmation_token_id, customer_email: 'ada@example.com' }
  await expect(orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })).rejects.toThrow()
  await eventually(async () => expect(await orders.rows('select state from payments')).toEqual([{ state: 'failed' }]))
  const [intent] = fake.state(stripe.id).paymentIntents.values()
  if (!intent) throw new Error('no intent')
  const charge = [...fake.state(stripe.id).charges.values()].at(-1)
  Object.assign(intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge?.id ?? null,
    last_payment_error: null,
  })
  await orders.rows(
    `insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at)
     values ($1, $2, 'evt_late', 'payment_intent.succeeded', 'charge', $3, 'push', now(), now())`,
    [shop.shop.organizationId, account.id, intent.id],
  )
  await orders.rows(`select pg_notify('wake', 'read-provider-events')`)
  await eventually(async () => expect(await orders.rows('select state from payments')).toEqual([{ state: 'succeeded' }]))
  expect(await orders.rows(`select outcome from provider_events where provider_event = 'evt_late'`)).toEqual([{ outcome: 'checked' }])
})

test('gives up on objects of other users of the account after an hour', async () => {
  await using shop = await startStripeShop()
  await shop.orders.rows(
    `insert into provider_events
       (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at, next_try_at, attempts)
     values ($1, $2, 'evt_other', 'payment_intent.succeeded', 'charge', 'pi_other', 'push', now(), now(), 5)`,
    [shop.shop.organizationId, shop.account.id],
  )
  await eventually(async () => expect(await events(shop)).toMatchObject([{ outcome: 'not_ours', attempts: 6 }]))
})

test('deletes handled events after 60 days', async () => {
  await using shop = await startStripeShop()
  const insert = (event: string, age: string, handled: string) =>
    shop.orders.rows(
      `insert into provider_events (organization_id, payment_account_id, provider_event, type, object_kind, object, source, occurred_at,
         received_at, handled_at, next_try_at)
       values ($1, $2, $3, 'refund.created', 'refund', 're_1', 'push', now(), now() - $4::interval, ${handled}, now() + interval '1 day')`,
      [shop.shop.organizationId, shop.account.id, event, age],
    )
  await insert('evt_old', '61 days', 'now()')
  await insert('evt_recent', '59 days', 'now()')
  await insert('evt_open', '61 days', 'null')
  await catchUp(shop)
  const left = () => shop.orders.rows('select provider_event from provider_events order by provider_event')
  await eventually(async () => expect(await left()).toEqual([{ provider_event: 'evt_open' }, { provider_event: 'evt_recent' }]))
})

test('a replay reads handled events again and lists lost ones; others than the operator may not [payments 41]', async () => {
  await using shop = await startStripeShop()
  const { orders, account } = shop
  await pay(toWorld(shop), 'pm_card_visa')
  await catchUp(shop)
  await eventually(async () => expect((await events(shop)).length).toBeGreaterThan(0))
  await orders.rows(`update provider_events set handled_at = now(), next_try_at = null, outcome = 'checked', attempts = 1 returning 1`)
  const handled = (await events(shop)).length
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const replay = (request: object, caller: Caller = { kind: 'operator' }) =>
    orders.call(replayProviderEvents, { account_id: account.id, since, ...request }, caller)
  await expect(replay({}, shop.shop.seller)).rejects.toMatchObject({ status: 403 })
  await expect(replay({ account_id: randomUUID() })).rejects.toThrow(ResourceNotFound)
  await expect(replay({ since: '2020-01-01T00:00:00Z' })).rejects.toThrow(RequestValidationError)
  expect((await events(shop)).map(({ source }) => source)).not.toContain('replay')
  expect(await replay({})).toEqual({ account_id: account.id, replayed: handled })
  await eventually(async () => {
    for (const event of await events(shop)) expect(event).toMatchObject({ source: 'replay', attempts: expect.any(Number) })
  })
  // The list of the provider was read from that time on: a lost event is found.
  await orders.rows('delete from provider_events')
  await replay({})
  await eventually(async () => expect(await events(shop)).toHaveLength(handled))
})
