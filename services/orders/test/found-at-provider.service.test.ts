import { orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import { generateOrderInvoice, listOrders } from '@quittance/contracts/orders'
import { receiveProviderEvent } from '@quittance/contracts/provider-events'
import { createRefund, listRefunds, orderRefunded, PaymentDisputed, refundCreated, refundUpdated } from '@quittance/contracts/refunds'
import { revokeSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import type { FakeFault } from '@quittance/testing/stripe/fake-faults'
import { signPayload } from '@quittance/testing/stripe/fake-webhooks'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { readEvents } from './read-events.ts'
import type { OrdersUnderTest } from './start-orders.ts'
import { catchUp, sell, startStripeShop, type StripeShop } from './stripe-shop.ts'
import { advance, after, buyPlan, createPlan, waitForSubscription } from './subscribe.ts'
import { waitForLocks, waitUntilHandled } from './wait-for-rows.ts'

const anonymous = { kind: 'anonymous' } as const
/** Delivers every event of a type, signed by the provider, `copies` times each. */
async function deliver({ orders, fake, stripe, account }: StripeShop, type: string, copies = 1): Promise<void> {
  for (const event of fake.state(stripe.id).events.filter((each) => each.type === type)) {
    const payload = JSON.stringify(event)
    const headers = {
      'stripe-signature': signPayload(payload, { secrets: [stripe.webhookSecret], timestamp: Math.floor(Date.now() / 1000) }),
    }
    const request = { id: account.id, headers, body: Buffer.from(payload).toString('base64') }
    await Promise.all(Array.from({ length: copies }, () => orders.call(receiveProviderEvent, request, anonymous)))
  }
}

/** What the ledger has of the provider, in cents. */
async function readBooked({ orders }: StripeShop): Promise<number> {
  const [sum] = await orders.rows<{ amount: number }>(
    `select sum(case when debit = 'provider' then amount else -amount end)::int as amount from ledger_entries where 'provider' in (debit, credit)`,
  )
  return sum?.amount ?? 0
}

test('a refund of the dashboard appears once, with its events and its credit note [payments 47]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const { order, intent } = await sell(shop)
  await orders.call(generateOrderInvoice, { id: order.id }, seller.seller)
  const theirs = fake.bank.refundInDashboard(stripe.id, intent, 1200)
  await deliver(shop, 'refund.created', 3)
  expect(await orders.nextEvent(refundCreated)).toMatchObject({ order_id: order.id, amount: 1200, status: 'succeeded', reason: 'other' })
  // Invoices make the credit note from this event.
  expect(await orders.nextEvent(orderRefunded)).toMatchObject({ id: order.id, status: 'partially_refunded', refunded_amount: 1200 })
  const { items } = await orders.call(listRefunds, {}, seller.seller)
  expect(items).toMatchObject([{ amount: 1200, tax_amount: 0, status: 'succeeded', reason: 'other' }])
  await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 3000 }, seller.seller)
  expect(await orders.nextEvent(orderRefunded)).toMatchObject({ status: 'refunded' })
  expect([await readBooked(shop), fake.moneyMoved(stripe.id)['usd']]).toEqual([0, 0])
  fake.bank.settleRefund(stripe.id, theirs, 'failed')
  await deliver(shop, 'refund.failed')
  expect(await orders.nextEvent(refundUpdated)).toMatchObject({ amount: 1200, status: 'failed' })
  expect([await readBooked(shop), fake.moneyMoved(stripe.id)['usd']]).toEqual([1200, 1200])
  expect(await orders.rows('select from refunds')).toHaveLength(2)
  await expectMoneyToAddUp(orders)
})

test('a refund that is canceled after it was made is one of those whose credit note is reversed', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const { order } = await sell(shop)
  await orders.call(generateOrderInvoice, { id: order.id }, seller.seller)
  const { id } = await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 1200 }, seller.seller)
  const [theirs = ''] = [...fake.state(stripe.id).refunds.keys()]
  fake.bank.settleRefund(stripe.id, theirs, 'canceled')
  await deliver(shop, 'refund.updated')
  await eventually(async () => expect(await orders.rows('select state from refunds')).toEqual([{ state: 'canceled' }]))
  const requests = await readEvents(orders, orderInvoiceRequested.subject)
  expect(requests.at(-1)?.payload).toMatchObject({ refunds: [], reversed_refunds: [{ id, amount: 1200 }] })
})

test('a refund of the dashboard takes credit back also where the buyer has used some of it, which is then owed', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const bought = await buyPlan(orders, seller, { price: 10_000, token: fake.buyer.createToken(stripe.id) })
  const { id, current_period_end: end } = await waitForSubscription(orders, bought, { status: 'active' })
  const smaller = await createPlan(orders, seller.seller, { price: 1000 })
  await orders.call(updateSubscription, { id, product_id: smaller.id, proration_behavior: 'prorate' }, seller.seller)
  const readOwed = async () => (await orders.rows('select sum(amount)::int as owed from prorations where order_id is null'))[0]?.['owed']
  const credit = await readOwed()
  expect(credit).toBeLessThan(-8_990)
  const [intent = ''] = [...fake.state(stripe.id).paymentIntents.keys()]
  fake.bank.refundInDashboard(stripe.id, intent, 10_000)
  await deliver(shop, 'refund.created')
  expect(await orders.nextEvent(orderRefunded)).toMatchObject({ status: 'refunded', refunded_amount: 10_000 })
  // The time on the smaller plan was paid by the credit.
  expect(await readOwed()).toBeGreaterThan(990)
  expect([await readBooked(shop), fake.moneyMoved(stripe.id)['usd']]).toEqual([0, 0])
  await advance(orders, seller, after(end))
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller.seller)
    expect(items.map(({ status }) => status)).toEqual(['refunded', 'paid'])
    expect(items[1]?.total_amount).toBeGreaterThan(1990)
  })
  await expectMoneyToAddUp(orders)
})

test('two events about one refund of the dashboard at once take its credit back once', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const bought = await buyPlan(orders, seller, { price: 10_000, token: fake.buyer.createToken(stripe.id) })
  const { id } = await waitForSubscription(orders, bought, { status: 'active' })
  const smaller = await createPlan(orders, seller.seller, { price: 1000 })
  await orders.call(updateSubscription, { id, product_id: smaller.id, proration_behavior: 'prorate' }, seller.seller)
  const [intent = ''] = [...fake.state(stripe.id).paymentIntents.keys()]
  const theirs = fake.bank.refundInDashboard(stripe.id, intent, 5_000)
  fake.bank.settleRefund(stripe.id, theirs, 'succeeded')
  const release = await orders.holdTransaction('select from subscriptions for update')
  await deliver(shop, 'refund.created')
  await deliver(shop, 'refund.updated')
  await waitForLocks(orders, 2)
  await release()
  await waitUntilHandled(orders, 'refund')
  // What was not credited is 0.00, so all of the refund is taken from the credit.
  const [order] = await orders.rows(
    'select (refunded_amount + refunding_amount)::int as refunded, credited_amount::int as credited from orders',
  )
  expect(order).toEqual({ refunded: 5_000, credited: 5_000 })
})

/** Sells a plan by direct debit and revokes it before the money arrives: the money is a surplus. */
async function receiveSurplus({ orders, fake, stripe, shop, ...rest }: StripeShop, refundFault?: FakeFault): Promise<string> {
  const bought = await buyPlan(orders, shop, { price: 1000, token: fake.buyer.createToken(stripe.id, 'pm_success_sepaDebit') })
  await orders.call(revokeSubscription, { id: bought.subscription.id }, shop.seller)
  const [intent = ''] = [...fake.state(stripe.id).paymentIntents.keys()]
  if (refundFault) fake.inject({ route: 'POST /v1/refunds', moment: 'before', fault: refundFault })
  fake.bank.settlePayment(stripe.id, intent)
  await deliver({ orders, fake, stripe, shop, ...rest }, 'payment_intent.succeeded')
  return intent
}

const notRecorded = (orders: OrdersUnderTest) =>
  eventually(async () =>
    expect(
      await orders.rows(`select from provider_events where object_kind = 'refund' and attempts > 0 and leased_until is null`),
    ).toHaveLength(1),
  )

test('a surplus that is refunded in the dashboard is not refunded again', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const intent = await receiveSurplus(shop)
  const listRows = () => orders.rows('select state, purpose, amount::int from refunds order by created_at')
  const refund = { purpose: 'surplus', amount: 1000 }
  await eventually(async () => expect(await listRows()).toEqual([{ ...refund, state: 'succeeded' }]))
  const [theirs = ''] = [...fake.state(stripe.id).refunds.keys()]
  fake.bank.settleRefund(stripe.id, theirs, 'failed')
  await deliver(shop, 'refund.failed')
  await eventually(async () =>
    expect(await listRows()).toEqual([
      { ...refund, state: 'failed' },
      { ...refund, state: 'created' },
    ]),
  )
  fake.bank.refundInDashboard(stripe.id, intent, 1000)
  await deliver(shop, 'refund.created', 2)
  await eventually(async () =>
    expect(await listRows()).toEqual([
      { ...refund, state: 'failed' },
      { ...refund, state: 'canceled' },
      { ...refund, state: 'succeeded' },
    ]),
  )
  expect([await readBooked(shop), fake.moneyMoved(stripe.id)['usd']]).toEqual([0, 0])
  expect((await orders.call(listRefunds, {}, seller.seller)).items).toEqual([])
  await expectMoneyToAddUp(orders)
})

test('a part of a surplus that is refunded in the dashboard changes no refund', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const intent = await receiveSurplus(shop, { kind: 'rate-limit', retryAfterSeconds: 600 })
  const listRows = () => orders.rows('select state, amount::int from refunds')
  await eventually(async () => expect(await orders.rows('select from payment_accounts where paused_until > now()')).toHaveLength(1))
  const before = await listRows()
  expect(before).toMatchObject([{ amount: 1000 }])
  fake.bank.refundInDashboard(stripe.id, intent, 400)
  await orders.rows('update payment_accounts set paused_until = null')
  await deliver(shop, 'refund.created')
  await notRecorded(orders)
  expect(await listRows()).toEqual(before)
})

test('a surplus whose own refund has no reply yet is not canceled by one of the dashboard', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const intent = await receiveSurplus(shop, { kind: 'timeout' })
  const submitted = [{ state: 'submitted', amount: 1000 }]
  const listRows = () => orders.rows('select state, amount::int from refunds')
  await eventually(async () => expect(await listRows()).toEqual(submitted))
  fake.bank.refundInDashboard(stripe.id, intent, 1000)
  await deliver(shop, 'refund.created')
  await notRecorded(orders)
  expect(await listRows()).toEqual(submitted)
})

test('a dispute blocks the method and its renewals, and refunds of its payment are 409 [payments 49]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const bought = await buyPlan(orders, seller, { price: 1000, token: fake.buyer.createToken(stripe.id) })
  const active = await waitForSubscription(orders, bought, { status: 'active' })
  const [intent = ''] = [...fake.state(stripe.id).paymentIntents.keys()]
  fake.bank.openDispute(stripe.id, intent)
  await deliver(shop, 'charge.dispute.created', 2)
  await eventually(async () =>
    expect(await orders.rows('select status, funds, amount::int, currency, next_check_at > now() as is_checked from disputes')).toEqual([
      { status: 'needs_response', funds: 'withdrawn', amount: 1000, currency: 'usd', is_checked: true },
    ]),
  )
  expect(await orders.rows('select status, is_default from payment_methods')).toEqual([{ status: 'blocked', is_default: false }])
  const { items } = await orders.call(listOrders, {}, seller.seller)
  const refund = orders.call(createRefund, { order_id: items[0]?.id ?? '', reason: 'other', amount: 100 }, seller.seller)
  await expect(refund).rejects.toThrow(PaymentDisputed)
  expect(await orders.rows('select from refunds')).toEqual([])
  await advance(orders, seller, after(active.current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  expect(fake.state(stripe.id).paymentIntents.size).toBe(1)
  expect([await readBooked(shop), fake.moneyMoved(stripe.id)['usd']]).toEqual([0, 0])
})

test('a dispute that is due while its account is paused is read after the pause', async () => {
  await using shop = await startStripeShop()
  const { fake, stripe, orders, account } = shop
  const { intent } = await sell(shop)
  const dispute = fake.bank.openDispute(stripe.id, intent)
  await deliver(shop, 'charge.dispute.created')
  await eventually(async () => expect(await orders.rows('select from disputes')).toHaveLength(1))
  fake.bank.closeDispute(stripe.id, dispute, 'lost')
  // One of another account shows that the job has run.
  await orders.rows(`begin; set local session_replication_role = replica;
    insert into disputes (id, created_at, organization_id, payment_id, payment_account_id, provider_dispute, status, amount, currency, reason,
      next_check_at)
    values (gen_random_uuid(), now(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'du_other', 'needs_response', 100, 'usd', 'general',
      now());
    update payment_accounts set paused_until = now() + interval '1 hour' where id = '${account.id}';
    update disputes set next_check_at = now() - interval '1 minute' where provider_dispute <> 'du_other'; commit`)
  const due = async () => {
    await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
    return orders.rows('select provider_dispute from disputes where next_check_at <= now()')
  }
  await eventually(async () => expect(await due()).not.toContainEqual({ provider_dispute: 'du_other' }))
  expect(await due()).toEqual([{ provider_dispute: dispute }])
  await orders.rows('update payment_accounts set paused_until = now() where id = $1', [account.id])
  await eventually(async () => {
    await due()
    expect(await orders.rows('select status from disputes where provider_dispute = $1', [dispute])).toEqual([{ status: 'lost' }])
  })
})

test('a won dispute brings the funds back, and a lost one leaves the order as it was [payments 50]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const won = await sell(shop)
  const lost = await sell(shop)
  const disputes = [won, lost].map(({ intent }) => fake.bank.openDispute(stripe.id, intent))
  await deliver(shop, 'charge.dispute.created')
  await eventually(async () => expect(await orders.rows('select from disputes')).toHaveLength(2))
  expect([await readBooked(shop), fake.moneyMoved(stripe.id)['usd']]).toEqual([0, 0])
  fake.bank.closeDispute(stripe.id, disputes[0] ?? '', 'won')
  fake.bank.closeDispute(stripe.id, disputes[1] ?? '', 'lost')
  await deliver(shop, 'charge.dispute.closed')
  await eventually(async () =>
    expect(await orders.rows('select status, funds from disputes order by status')).toEqual([
      { status: 'lost', funds: 'withdrawn' },
      { status: 'won', funds: 'reinstated' },
    ]),
  )
  expect([await readBooked(shop), fake.moneyMoved(stripe.id)['usd']]).toEqual([4200, 4200])
  const { items } = await orders.call(listOrders, {}, seller.seller)
  expect(items.map(({ status }) => status)).toEqual(['paid', 'paid'])
  await orders.call(createRefund, { order_id: won.order.id, reason: 'other', amount: 100 }, seller.seller)
  await expect(orders.call(createRefund, { order_id: lost.order.id, reason: 'other', amount: 100 }, seller.seller)).rejects.toThrow(
    PaymentDisputed,
  )
})

test('a won dispute is read until its funds are back, also without an event about them', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const dispute = fake.bank.openDispute(stripe.id, (await sell(shop)).intent)
  await deliver(shop, 'charge.dispute.created')
  await eventually(async () => expect(await orders.rows('select from disputes')).toHaveLength(1))
  const read = async (expected: object) => {
    await orders.rows(`update disputes set next_check_at = now(), leased_until = null`)
    await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
    await eventually(async () =>
      expect(await orders.rows('select status, funds, next_check_at > now() as is_checked from disputes')).toEqual([expected]),
    )
  }
  // The provider closes a dispute before it returns the money.
  Object.assign(fake.state(stripe.id).disputes.get(dispute) ?? {}, { status: 'won' })
  await read({ status: 'won', funds: 'withdrawn', is_checked: true })
  fake.bank.closeDispute(stripe.id, dispute, 'won')
  await read({ status: 'won', funds: 'reinstated', is_checked: null })
  expect(await readBooked(shop)).toBe(4200)
})

test('an inquiry that becomes a dispute of a part has its amount, and the ledger what was withdrawn', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const id = fake.bank.openDispute(stripe.id, (await sell(shop)).intent)
  const dispute = fake.state(stripe.id).disputes.get(id)
  const [withdrawal] = dispute?.balance_transactions ?? []
  Object.assign(dispute ?? {}, { status: 'warning_needs_response', balance_transactions: [] })
  await deliver(shop, 'charge.dispute.created')
  const readDisputes = () => orders.rows('select status, funds, amount::int from disputes')
  await eventually(async () => expect(await readDisputes()).toEqual([{ status: 'warning', funds: 'none', amount: 4200 }]))
  Object.assign(dispute ?? {}, { status: 'needs_response', amount: 1000, balance_transactions: [{ ...withdrawal, amount: -1000 }] })
  await orders.rows('update disputes set next_check_at = now(), leased_until = null')
  await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
  await eventually(async () => expect(await readDisputes()).toEqual([{ status: 'needs_response', funds: 'withdrawn', amount: 1000 }]))
  expect(await readBooked(shop)).toBe(3200)
  // What is booked stays.
  Object.assign(dispute ?? {}, { amount: 900, reason: 'duplicate' })
  await orders.rows('update disputes set next_check_at = now(), leased_until = null')
  await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
  await eventually(async () =>
    expect(await orders.rows('select reason, amount::int from disputes')).toEqual([{ reason: 'duplicate', amount: 1000 }]),
  )
})

test('without any webhook, the catch-up finds refunds and disputes, and checks read the rest [payments 41]', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const refunded = await sell(shop)
  const disputed = await sell(shop)
  fake.bank.refundInDashboard(stripe.id, refunded.intent, 500)
  const dispute = fake.bank.openDispute(stripe.id, disputed.intent)
  await catchUp(shop)
  await eventually(async () => {
    expect(await orders.rows('select amount::int, state from refunds')).toEqual([{ amount: 500, state: 'succeeded' }])
    expect(await orders.rows('select status from disputes')).toEqual([{ status: 'needs_response' }])
  })
  fake.bank.closeDispute(stripe.id, dispute, 'won')
  await orders.rows(`update disputes set next_check_at = now()`)
  await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
  await eventually(async () =>
    expect(await orders.rows('select status, next_check_at from disputes')).toEqual([{ status: 'won', next_check_at: null }]),
  )
  expect([await readBooked(shop), fake.moneyMoved(stripe.id)['usd']]).toEqual([7900, 7900])
  await expectMoneyToAddUp(orders)
})
