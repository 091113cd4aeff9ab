import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { getMetricsLimits } from '@quittance/contracts/metrics'
import { orderPaid } from '@quittance/contracts/orders'
import { getPayment, listPayments } from '@quittance/contracts/payments'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders } from './start-orders.ts'
import { subscribe } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

test('lists every attempt to pay with its status, by order, checkout, status, method and address, for its organization only', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const { id: checkout_id, client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirm = (confirmation_token_id: string) =>
    orders.call(confirmCheckout, { client_secret, customer_email: 'Ada@Example.com', confirmation_token_id }, anonymous)
  const statuses = async () => (await orders.call(listPayments, { sorting: ['created_at'] }, seller)).items.map(({ status }) => status)
  await confirm('ctoken_declined_later')
  await eventually(async () => expect(await statuses()).toEqual(['failed']))
  await eventually(() => confirm('ctoken_ok'))
  const order = await orders.nextEvent(orderPaid)
  await eventually(async () => expect(await statuses()).toEqual(['failed', 'succeeded']))

  const newest = (await orders.call(listPayments, {}, seller)).items[0]
  expect(newest).toMatchObject({
    processor: 'stripe',
    provider: 'sandbox',
    mode: 'test',
    method: 'card',
    method_metadata: null,
    trigger: 'purchase',
    amount: 4200,
    currency: 'usd',
  })
  expect(newest).toMatchObject({ order_id: order.id, checkout_id, decline_reason: null, decline_message: null })
  const id = newest?.id as string
  expect(await orders.call(getPayment, { id }, seller)).toEqual(newest)
  const count = async (filter: object) => (await orders.call(listPayments, filter, seller)).pagination.total_count
  expect(await count({ order_id: order.id, checkout_id, customer_email: 'ada@example.com', method: 'card' })).toBe(2)
  expect(await count({ status: ['failed'] })).toBe(1)
  expect(await count({ method: 'bank_transfer' })).toBe(0)
  expect(await count({ order_id: id })).toBe(0)
  const { seller: other } = await orders.shop()
  expect((await orders.call(listPayments, {}, other)).items).toEqual([])
  await expect(orders.call(getPayment, { id }, other)).rejects.toThrow(ResourceNotFound)
})

test('the limits of sales figures are those of the published contract', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const { min_date, intervals } = await orders.call(getMetricsLimits, {}, seller)
  expect(min_date).toBe('2023-01-01')
  expect(intervals).toMatchObject({ hour: { max_days: 7 }, year: { max_days: 3650 } })
})

test('a payment with a stored card has its brand and last digits', async () => {
  await using orders = await startOrders()
  const { seller } = await subscribe(orders)
  await eventually(async () => {
    const { items } = await orders.call(listPayments, { status: 'succeeded' }, seller)
    expect(items).toMatchObject([{ method: 'card', method_metadata: { brand: 'sandbox', last4: '4242' } }])
  })
})
