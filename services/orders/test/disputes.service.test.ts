import { createRefund, PaymentDisputed } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { sell, startStripeShop } from './stripe-shop.ts'

test('a payment is not refunded while a dispute is open or lost, and is after one that was won', async () => {
  await using shop = await startStripeShop()
  const { orders, fake, stripe, account, shop: seller } = shop
  const { order, intent } = await sell(shop)
  const id = fake.bank.openDispute(stripe.id, intent)
  await orders.rows(`update payment_accounts set settings = settings - 'caught_up_at' where id = $1`, [account.id])
  await orders.rows(`select pg_notify('wake', 'catch-up-provider-events')`)
  const waitFor = (status: string) =>
    eventually(async () => {
      await orders.rows('update disputes set next_check_at = now(), leased_until = null')
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
