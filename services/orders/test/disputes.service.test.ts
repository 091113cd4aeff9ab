import { createRefund, PaymentDisputed } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { catchUp, sell, startStripeShop } from './stripe-shop.ts'

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
