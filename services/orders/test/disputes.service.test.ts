import { createRefund, PaymentDisputed } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { readEvents } from './read-events.ts'
import { catchUp, deliverEvent, sell, startStripeShop } from './stripe-shop.ts'
import { waitForLocks, waitUntilHandled } from './wait-for-rows.ts'

test('a payment is not refunded while a dispute is open or lost, and is after one that was won', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, shop: seller } = shop
  const { order, intent } = await sell(shop)
  const id = fake.bank.openDispute(stripe.id, intent)
  await catchUp(shop)
  const waitFor = (status: string) =>
    eventually(async () => {
      await orders.rows('update disputes set next_check_at = now() where leased_until is null')
      await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
      expect(await orders.rows('select status from disputes')).toEqual([{ status }])
    })
  const refund = () => orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 100 }, seller.seller)
  await waitFor('needs_response')
  await expect(refund()).rejects.toThrow(PaymentDisputed)
  Object.assign(fake.state(stripe.id).disputes.get(id) ?? {}, { status: 'under_review' })
  await waitFor('under_review')
  await expect(refund()).rejects.toThrow(PaymentDisputed)
  fake.bank.closeDispute(stripe.id, id, 'won')
  await waitFor('won')
  expect(await refund()).toMatchObject({ amount: 100 })
})

test('a dispute or refund in another mode or currency than its payment is not recorded', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const [other, live, refunded] = [await sell(shop), await sell(shop), await sell(shop)]
  const disputes = [
    [fake.bank.openDispute(stripe.id, other.intent), { currency: 'eur' }],
    [fake.bank.openDispute(stripe.id, live.intent), { livemode: true }],
  ] as const
  for (const [id, changed] of disputes) Object.assign(fake.state(stripe.id).disputes.get(id) ?? {}, changed)
  const refund = fake.bank.refundInDashboard(stripe.id, refunded.intent, 500)
  Object.assign(fake.state(stripe.id).refunds.get(refund) ?? {}, { currency: 'eur' })
  await catchUp(shop)
  const ids = [refund, ...disputes.map(([id]) => id)]
  await eventually(async () =>
    expect(
      await orders.rows('select distinct object from provider_events where object = any ($1) and attempts > 0 and leased_until is null', [
        ids,
      ]),
    ).toHaveLength(3),
  )
  expect(await orders.rows('select provider_dispute from disputes union all select provider_refund from refunds')).toEqual([])
})

const getRoute = 'GET /v1/disputes/:id'

test('a read that began before a later one, and ends after it, does not restore the earlier state', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { intent } = await sell(shop)
  const id = fake.bank.openDispute(stripe.id, intent)
  const opened = JSON.stringify(fake.state(stripe.id).disputes.get(id))
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  let reads = 0
  fake.decideFaults(async ({ route }, moment) => {
    if (route !== getRoute || moment !== 'after' || ++reads > 1) return null
    await isReleased
    return { kind: 'text', status: 200, text: opened }
  })
  await deliverEvent(shop, 'charge.dispute.created')
  await eventually(() => expect(reads).toBe(1))
  fake.bank.closeDispute(stripe.id, id, 'won')
  await deliverEvent(shop, 'charge.dispute.closed')
  const readDisputes = () => orders.rows('select status, funds from disputes')
  const won = [{ status: 'won', funds: 'reinstated' }]
  await eventually(async () => expect(await readDisputes()).toEqual(won))
  release()
  await waitUntilHandled(orders, 'dispute')
  fake.decideFaults(null)
  expect(await readDisputes()).toEqual(won)
  expect(await readEvents(orders, 'event.dispute.updated')).toEqual([])
})

test('two reads of a new dispute at once publish it once', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { intent } = await sell(shop)
  fake.bank.openDispute(stripe.id, intent)
  const release = await orders.holdTransaction('lock table disputes in share mode')
  await deliverEvent(shop, 'charge.dispute.created')
  await deliverEvent(shop, 'charge.dispute.funds_withdrawn')
  await waitForLocks(orders, 2)
  await release()
  await waitUntilHandled(orders, 'dispute')
  expect(await readEvents(orders, 'event.dispute.created')).toHaveLength(1)
  expect(await readEvents(orders, 'event.dispute.updated')).toEqual([])
})

test('reinstated funds stay so, and are booked once, if the provider lists them no longer', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe } = shop
  const { intent } = await sell(shop)
  const id = fake.bank.openDispute(stripe.id, intent)
  fake.bank.closeDispute(stripe.id, id, 'won')
  await deliverEvent(shop, 'charge.dispute.closed')
  const booked = `select reason, sum(amount)::int as amount from ledger_entries where reason like 'dispute%' group by 1 order by 1`
  const readAll = async () => [await orders.rows('select status, funds from disputes'), await orders.rows(booked)]
  await eventually(async () => expect(await orders.rows('select funds from disputes')).toEqual([{ funds: 'reinstated' }]))
  const before = await readAll()
  fake.state(stripe.id).disputes.get(id)?.balance_transactions.pop()
  await orders.rows("update disputes set next_check_at = now(), observed_at = observed_at - interval '1 second'")
  const [{ version } = { version: 0 }] = await orders.rows<{ version: number }>('select version from disputes')
  await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
  await eventually(async () => expect(await orders.rows('select from disputes where version > $1', [version])).toHaveLength(1))
  expect(await readAll()).toEqual(before)
})
