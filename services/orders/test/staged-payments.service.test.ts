import { confirmCheckout, createCheckout, getCheckoutByClient } from '@quittance/contracts/checkouts'
import { getOrder, orderPaid } from '@quittance/contracts/orders'
import { createRefund, listRefunds, orderRefunded, refundCreated, RefundedAlready } from '@quittance/contracts/refunds'
import { call } from '@quittance/runtime/rpc-client'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { hang, useTestProcessor } from './slow-processor.ts'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

const reason = 'customer_request' as const
const anonymous = { kind: 'anonymous' } as const

/** Connections of the service that are in a transaction. */
async function transactions(orders: OrdersUnderTest): Promise<number> {
  const busy = `select from pg_stat_activity where datname = current_database() and application_name = 'quittance' and xact_start is not null
    and state <> 'idle'`
  return (await orders.rows(busy)).length
}

async function confirm(orders: OrdersUnderTest, { seller, product }: Shop, email: string) {
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  return orders.call(confirmCheckout, { client_secret, customer_email: email, confirmation_token_id: 'ctoken_ok' }, anonymous)
}

test('a refund with a lost reply is pending, retried under its id, and made once; it is reserved until then, not refunded [payments 45]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  using processor = useTestProcessor()
  processor.before.refund = () => Promise.reject(new Error('connection lost'))
  const request = { operation: createRefund, request: { order_id: order.id, reason, amount: 4200 }, caller: seller, idempotencyKey: 'k-1' }
  const refund = await call(orders.connection, request)
  expect(refund).toMatchObject({ status: 'pending', amount: 4200 })
  await expect(orders.call(createRefund, { order_id: order.id, reason, amount: 1 }, seller)).rejects.toThrow('already fully refunded')
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ status: 'paid', refunded_amount: 0 })
  expect(orders.publishedEvents.filter(({ subject }) => subject === refundCreated.subject)).toHaveLength(0)
  // The same request with the same key, as after a restart.
  await orders.restart()
  expect(await call(orders.connection, request)).toMatchObject({ id: refund.id })
  delete processor.before.refund
  expect(await orders.nextEvent(refundCreated)).toMatchObject({ id: refund.id, status: 'succeeded' })
  expect(await orders.nextEvent(orderRefunded)).toMatchObject({ status: 'refunded', refunded_amount: 4200 })
  expect(await call(orders.connection, request)).toMatchObject({ id: refund.id, status: 'succeeded' })
  expect(new Set(processor.calls.refund)).toEqual(new Set([refund.id]))
  expect([...processor.refunded]).toEqual([refund.id])
  expect(await orders.rows('select from refunds')).toHaveLength(1)
})

test('fifty slow refunds hold no connection and reserve no more than was paid [payments 44]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  using processor = useTestProcessor()
  const gate = Promise.withResolvers<void>()
  processor.before.refund = () => gate.promise
  const requests = Array.from({ length: 50 }, () => orders.call(createRefund, { order_id: order.id, reason, amount: 100 }, seller))
  const settled = Promise.allSettled(requests)
  await eventually(() => expect(processor.calls.refund).toHaveLength(42))
  await eventually(async () => expect(await transactions(orders)).toBe(0))
  const { items } = await orders.call(listRefunds, { limit: 100 }, seller)
  expect(items.map(({ status }) => status)).toEqual(Array(42).fill('pending'))
  const replies = await settled
  expect(replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value.status] : []))).toEqual(Array(42).fill('pending'))
  for (const reply of replies) if (reply.status === 'rejected') expect(reply.reason).toBeInstanceOf(RefundedAlready)
  gate.resolve()
  await eventually(async () => {
    expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ refunded_amount: 4200, status: 'refunded' })
  })
  expect(processor.refunded.size).toBe(42)
  const [left] = await orders.rows('select refunding_amount::int, refunding_tax_amount::int from orders where id = $1', [order.id])
  expect(left).toEqual({ refunding_amount: 0, refunding_tax_amount: 0 })
})

test('a charge without a reply delays no other and is found by a read, not repeated [payments 15, payments 27]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  processor.before.submit = hang
  const slow = confirm(orders, shop, 'ada@example.com')
  const [hanging] = await eventually(() => {
    expect(processor.calls.submit).not.toEqual([])
    return processor.calls.submit
  })
  processor.before.submit = (id) => (id === hanging ? hang() : Promise.resolve())
  const other = await confirm(orders, shop, 'grace@example.com')
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ customer: { email: 'grace@example.com' }, checkout_id: other.id })
  expect(await slow).toMatchObject({ status: 'confirmed', payment_processor_metadata: { intent_status: 'processing' } })
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ customer: { email: 'ada@example.com' } })
  expect(processor.calls.submit.filter((id) => id === hanging)).toHaveLength(1)
  expect(processor.calls.read.length).toBeGreaterThan(0)
  expect(await orders.rows('select from payments')).toHaveLength(2)
})

test('calls the provider outside transactions only: check, payer, object, submission and refund [payments 10]', async () => {
  await using orders = await startOrders()
  const { seller, product, organizationId } = await orders.shop()
  using processor = useTestProcessor()
  const calls = ['check', 'ensurePayer', 'prepare', 'submit', 'refund'] as const
  const outside = new Set<string>()
  for (const each of calls) {
    processor.instead[each] = async () => {
      await eventually(async () => expect(await transactions(orders)).toBe(0))
      outside.add(each)
    }
  }
  await confirm(orders, { seller, product, organizationId }, 'ada@example.com')
  const { id } = await orders.nextEvent(orderPaid)
  await orders.call(createRefund, { order_id: id, reason, amount: 100 }, seller)
  await orders.nextEvent(refundCreated)
  await eventually(() => expect(outside).toEqual(new Set(calls)))
})

test('checks no token for a checkout that cannot be confirmed', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  using processor = useTestProcessor()
  const { client_secret } = await confirm(orders, shop, 'ada@example.com')
  for (const secret of [client_secret, 'qt_co_unknown']) {
    const again = { client_secret: secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
    await expect(orders.call(confirmCheckout, again, anonymous)).rejects.toThrow(/not open|not found|NotFound/i)
  }
  expect(processor.calls.check).toHaveLength(1)
  expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ customer_email: 'ada@example.com' })
})

test('a payment in progress at the provider is read again and again until it has a result [payments 35]', async () => {
  await using orders = await startOrders()
  using processor = useTestProcessor()
  const { order } = await orders.pendingOrder()
  const waits = () =>
    orders.rows(`select from payments where state = 'processing' and leased_until is null and next_check_at > now() + interval '20 hours'`)
  for (let reads = 1; reads <= 3; reads++) {
    await eventually(async () => expect(await waits()).toHaveLength(1))
    await orders.rows(`update payments set next_check_at = now() where state = 'processing'`)
    await eventually(() => expect(processor.calls.read).toHaveLength(reads))
  }
  await eventually(async () => expect(await waits()).toHaveLength(1))
  await orders.rows(`update sandbox_objects set status = 'succeeded' returning 1`)
  await orders.rows(`update payments set next_check_at = now() where state = 'processing'`)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ id: order.id, status: 'paid' })
})
