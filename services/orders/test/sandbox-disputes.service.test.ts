import { disputeCreated, disputeUpdated, listDisputes } from '@quittance/contracts/disputes'
import { createRefund, PaymentDisputed } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, subscribe, waitForSubscription } from './subscribe.ts'

const waitForDispute = (orders: OrdersUnderTest, expected: object) =>
  eventually(async () => expect(await orders.rows('select status, funds from disputes')).toEqual([expected]), { withinMs: 30_000 })

test('a payment with ctoken_disputed is disputed: its method is blocked, and it cannot be refunded', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { token: 'ctoken_disputed' })
  const { seller, subscription } = subscribed
  await waitForDispute(orders, { status: 'needs_response', funds: 'withdrawn' })
  expect(await orders.nextEvent(disputeCreated)).toMatchObject({ status: 'needs_response', amount: 1000, provider: 'sandbox' })
  const { items } = await orders.call(listDisputes, {}, seller)
  expect(items).toMatchObject([
    { status: 'needs_response', reason: 'fraudulent', closed: false, customer: { id: subscription.customer_id } },
  ])
  expect(await orders.rows('select status from payment_methods')).toEqual([{ status: 'blocked' }])
  await expect(orders.call(createRefund, { order_id: items[0]?.order_id ?? '', reason: 'other', amount: 100 }, seller)).rejects.toThrow(
    PaymentDisputed,
  )
  await advance(orders, subscribed, after(subscription.current_period_end))
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
  await expectMoneyToAddUp(orders)
})

test('a dispute with ctoken_dispute_won is won after some seconds, and the money is back', async () => {
  await using orders = await startOrders()
  const { seller } = await subscribe(orders, { token: 'ctoken_dispute_won' })
  await waitForDispute(orders, { status: 'won', funds: 'reinstated' })
  expect(await orders.nextEvent(disputeUpdated)).toMatchObject({ status: 'won', funds: 'reinstated', closed: true })
  const { items } = await orders.call(listDisputes, { status: 'won' }, seller)
  expect(await orders.call(createRefund, { order_id: items[0]?.order_id ?? '', reason: 'other', amount: 100 }, seller)).toMatchObject({
    amount: 100,
  })
  expect(await orders.rows('select event_due_at from sandbox_objects where event_due_at is not null')).toEqual([])
  await expectMoneyToAddUp(orders)
})

test('a dispute that is not answered in time is lost', async () => {
  await using orders = await startOrders()
  await subscribe(orders, { token: 'ctoken_disputed' })
  await waitForDispute(orders, { status: 'needs_response', funds: 'withdrawn' })
  await orders.rows(`update sandbox_objects set submitted_at = now() - interval '8 days' where kind = 'dispute' returning 1`)
  await orders.rows('update disputes set next_check_at = now() returning 1')
  await orders.rows(`select pg_notify('wake', 'check-due-disputes')`)
  await waitForDispute(orders, { status: 'lost', funds: 'withdrawn' })
})
