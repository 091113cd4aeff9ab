import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { getOrder, listOrders, orderUpdated } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import {
  createRefund,
  listRefunds,
  orderRefunded,
  RefundAmountTooHigh,
  refundCreated,
  refundUpdated,
  RefundedAlready,
  RefundUnknownPayment,
  RevokeSubscriptionBenefitsProhibited,
} from '@quittance/contracts/refunds'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'
import { subscribe } from './subscribe.ts'

const reason = 'customer_request' as const

test('a partial and a final refund update amounts and status and publish in order [payments 48]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  const part = await orders.call(createRefund, { order_id: order.id, reason, amount: 1200, comment: 'secret', metadata: { a: 1 } }, seller)
  expect(part).toMatchObject({ status: 'succeeded', amount: 1200, order_id: order.id, customer_id: order.customer_id, metadata: { a: 1 } })
  expect(part).not.toHaveProperty('comment')
  expect(await orders.nextEvent(refundCreated)).toEqual(part)
  expect(await orders.nextEvent(orderUpdated)).toMatchObject({ status: 'partially_refunded', refunded_amount: 1200 })
  expect(await orders.nextEvent(orderRefunded)).toMatchObject({ id: order.id, status: 'partially_refunded' })
  await orders.call(createRefund, { order_id: order.id, reason, amount: 3000 }, seller)
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ status: 'refunded', refunded_amount: 4200, paid: true })
  await orders.nextEvent(orderRefunded)
  const about = ['event.refund.created', 'event.order.updated', 'event.order.refunded']
  expect(orders.publishedEvents.map(({ subject }) => subject).slice(-6)).toEqual([...about, ...about])
})

test('a returned refund fails, its order is paid again, and the amount is refundable again [payments 46]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  await orders.rows(`update sandbox_objects set token = 'ctoken_refund_bounces' returning 1`)
  const made = await orders.call(createRefund, { order_id: order.id, reason, amount: 4200 }, seller)
  expect(made).toMatchObject({ status: 'succeeded' })
  expect(await orders.nextEvent(orderUpdated)).toMatchObject({ status: 'refunded' })
  expect(await orders.nextEvent(refundUpdated)).toMatchObject({ id: made.id, status: 'failed' })
  expect(await orders.nextEvent(orderUpdated)).toMatchObject({ status: 'paid', refunded_amount: 0 })
  await orders.rows(`update sandbox_objects set token = 'ctoken_ok' returning 1`)
  await orders.call(createRefund, { order_id: order.id, reason, amount: 1200 }, seller)
  expect((await orders.call(listRefunds, { succeeded: true }, seller)).items).toMatchObject([{ amount: 1200 }])
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ status: 'partially_refunded', refunded_amount: 1200 })
})

test('rejects more than is left, or any refund once nothing is left, unchanged [67]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  const refund = (amount: number) => orders.call(createRefund, { order_id: order.id, reason, amount }, seller)
  await expect(refund(4201)).rejects.toThrow(RefundAmountTooHigh)
  await refund(4200)
  await expect(refund(1)).rejects.toThrow(RefundedAlready)
  expect(await orders.rows('select from refunds')).toHaveLength(1)
})

test('fifty concurrent refunds never exceed what was paid', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  const tries = Array.from({ length: 50 }, () => orders.call(createRefund, { order_id: order.id, reason, amount: 100 }, seller))
  const outcomes = await Promise.allSettled(tries)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(42)
  // A reply may be pending; the remaining results follow.
  await eventually(async () => expect(await orders.rows(`select from refunds where status = 'pending'`)).toEqual([]))
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ status: 'refunded', refunded_amount: 4200 })
  const [sum] = await orders.rows<{ amount: string }>('select sum(amount) as amount from refunds')
  expect(sum?.amount).toBe('4200')
})

test('names an unknown or foreign order as the invalid field', async () => {
  await using orders = await startOrders()
  const { order } = await orders.paidOrder({ billed: false })
  const stranger = organizationCaller(randomUUID())
  for (const order_id of [order.id, randomUUID()]) {
    const rejection = orders.call(createRefund, { order_id, reason, amount: 1 }, stranger)
    await expect(rejection).rejects.toThrow(RequestValidationError)
    await expect(rejection).rejects.toMatchObject({ body: { detail: [{ loc: ['body', 'order_id'], type: 'value_error' }] } })
  }
})

test('rejects refunds of a free order and of an unpaid one, which were never charged', async () => {
  await using orders = await startOrders()
  const pending = await orders.pendingOrder()
  await expect(orders.call(createRefund, { order_id: pending.order.id, reason, amount: 1 }, pending.seller)).rejects.toThrow(
    RefundUnknownPayment,
  )
  const { seller } = pending
  const price = { amount_type: 'free' as const }
  const free = await orders.call(createProduct, { name: 'Sample', recurring_interval: null, prices: [price] }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [free.id] }, seller)
  await orders.call(confirmCheckout, { client_secret, customer_email: 'ada@example.com' }, { kind: 'anonymous' })
  const { items } = await orders.call(listOrders, { product_id: free.id }, seller)
  const order_id = items[0]?.id ?? ''
  await expect(orders.call(createRefund, { order_id, reason, amount: 1 }, seller)).rejects.toThrow(RefundUnknownPayment)
})

test('a refund does not end the benefits of a subscription', async () => {
  await using orders = await startOrders()
  const { seller } = await subscribe(orders)
  const { items } = await orders.call(listOrders, {}, seller)
  const request = { order_id: items[0]?.id ?? '', reason, amount: 1, revoke_benefits: true }
  await expect(orders.call(createRefund, request, seller)).rejects.toThrow(RevokeSubscriptionBenefitsProhibited)
})

test('lists refunds by every filter, only to their own organization', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  const small = await orders.call(createRefund, { order_id: order.id, reason, amount: 100 }, seller)
  const large = await orders.call(createRefund, { order_id: order.id, reason: 'duplicate', amount: 200 }, seller)
  const list = async (request: Parameters<typeof orders.call<typeof listRefunds>>[1]) =>
    (await orders.call(listRefunds, request, seller)).items.map(({ id }) => id)
  expect(await list({})).toEqual([large.id, small.id])
  expect(await list({ sorting: ['amount'] })).toEqual([small.id, large.id])
  expect(await list({ id: small.id })).toEqual([small.id])
  expect(await list({ order_id: [order.id], customer_id: order.customer_id, succeeded: true })).toHaveLength(2)
  expect(await list({ order_id: randomUUID() })).toEqual([])
  expect(await list({ subscription_id: randomUUID() })).toEqual([])
  expect((await orders.call(listRefunds, {}, organizationCaller(randomUUID()))).items).toEqual([])
})
