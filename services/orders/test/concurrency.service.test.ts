import { confirmCheckout, createCheckout, NotOpenCheckout } from '@quittance/contracts/checkouts'
import { createDiscount, getDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { getOrder } from '@quittance/contracts/orders'
import { createRefund, RefundAmountTooHigh } from '@quittance/contracts/refunds'
import { createTaxRate } from '@quittance/contracts/taxes'
import { openDatabase } from '@quittance/runtime/database'
import { startService } from '@quittance/runtime/service'
import { runInTransaction } from '@quittance/runtime/transaction'
import { silentWork } from '@quittance/testing/database'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { TaxRate } from '../src/catalog/taxes/tax-rate.ts'
import { database as definition } from '../src/database.ts'
import { orders as service } from '../src/service.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

const many = 50
const anonymous = { kind: 'anonymous' } as const

/** Starts two replicas on one database; NATS routes every request to either. */
async function startTwice(): Promise<OrdersUnderTest> {
  const orders = await startOrders()
  const second = await startService(service, { config: orders.config })
  return {
    ...orders,
    async [Symbol.asyncDispose]() {
      await second.stop()
      await orders[Symbol.asyncDispose]()
    },
  }
}

/** Returns how many of the concurrent requests succeeded, and the error classes of the others. */
async function settleAll(requests: Promise<unknown>[]) {
  const settled = await Promise.allSettled(requests)
  const refusals = settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []))
  return { succeeded: settled.length - refusals.length, refusals }
}

/** Waits until every event is published and the outbox is empty. */
function waitUntilPublished(orders: OrdersUnderTest): Promise<void> {
  return eventually(async () => expect(await orders.rows('select from outbox_messages where published_at is null')).toHaveLength(0))
}

const countEvents = ({ publishedEvents }: OrdersUnderTest, subject: string) =>
  publishedEvents.filter((event) => event.subject === subject).length

test('one of fifty confirmations at two replicas wins: order, payment, customer, redemption [payments 1]', async () => {
  await using orders = await startTwice()
  const { seller, product } = await orders.shop()
  const tenPercent = { name: 'Ten', type: 'percentage' as const, basis_points: 1000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, tenPercent, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const { succeeded, refusals } = await settleAll(Array.from({ length: many }, () => orders.call(confirmCheckout, confirmation, anonymous)))
  expect(succeeded).toBe(1)
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(NotOpenCheckout)
  await eventually(() => expect(countEvents(orders, 'event.order.paid')).toBe(1))
  await waitUntilPublished(orders)
  const tables = ['orders', 'order_items', 'payments', 'customers', 'customer_sessions']
  for (const table of tables) expect(await orders.rows(`select from ${table}`)).toHaveLength(1)
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 1 })
  for (const event of ['order.created', 'order.updated', 'order.paid', 'customer.created'])
    expect(countEvents(orders, `event.${event}`)).toBe(1)
})

test('fifty refunds at two replicas succeed as far as there is money, each with its events', async () => {
  await using orders = await startTwice()
  const { order, seller } = await orders.paidOrder({ billed: false })
  const request = { order_id: order.id, reason: 'other' as const, amount: 137 }
  const { succeeded, refusals } = await settleAll(Array.from({ length: many }, () => orders.call(createRefund, request, seller)))
  expect(succeeded).toBe(Math.floor(order.net_amount / request.amount))
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(RefundAmountTooHigh)
  // A reply may be pending; the remaining results follow.
  await eventually(async () => expect(await orders.rows(`select from refunds where status = 'pending'`)).toEqual([]))
  const refunded = succeeded * request.amount
  const now = await orders.call(getOrder, { id: order.id }, seller)
  expect(now).toMatchObject({ status: 'partially_refunded', refunded_amount: refunded })
  const [sum] = await orders.rows('select sum(amount)::int as net, sum(tax_amount)::int as tax, count(*)::int as count from refunds')
  expect(sum).toEqual({ net: refunded, tax: now.refunded_tax_amount, count: succeeded })
  await waitUntilPublished(orders)
  const subjects = orders.publishedEvents.map(({ subject }) => subject)
  const three = ['event.refund.created', 'event.order.updated', 'event.order.refunded']
  expect(subjects.slice(subjects.indexOf('event.refund.created'))).toEqual(Array.from({ length: succeeded }, () => three).flat())
})

test('one of fifty concurrent checkouts gets the last redemption, the others a field error', async () => {
  await using orders = await startTwice()
  const { seller, product } = await orders.shop()
  const forOne = { name: 'First', type: 'percentage' as const, basis_points: 5000, duration: 'once' as const, max_redemptions: 1 }
  const discount = await orders.call(createDiscount, { ...forOne, code: 'FIRST' }, seller)
  const checkouts = await Promise.all(
    Array.from({ length: many }, () => orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)),
  )
  const confirmation = { customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const { succeeded, refusals } = await settleAll(
    checkouts.map(({ client_secret }) => orders.call(confirmCheckout, { client_secret, ...confirmation }, anonymous)),
  )
  expect(succeeded).toBe(1)
  for (const refusal of refusals) {
    expect(refusal).toBeInstanceOf(RequestValidationError)
    expect(refusal).toMatchObject({ body: { detail: [{ loc: ['body', 'discount_id'] }] } })
  }
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 1 })
  for (const table of ['orders', 'payments']) expect(await orders.rows(`select from ${table}`)).toHaveLength(1)
  expect(await orders.rows(`select from checkouts where status = 'open'`)).toHaveLength(many - 1)
})

test('confirms twenty concurrent checkouts that share a discount, set by id or by code', async () => {
  await using orders = await startTwice()
  const { seller, product } = await orders.shop()
  const forAll = { name: 'All', type: 'fixed' as const, amount: 500, duration: 'once' as const, code: 'ALL' }
  const discount = await orders.call(createDiscount, forAll, seller)
  const chosen = { products: [product.id], discount_id: discount.id }
  const checkouts = await Promise.all(
    Array.from({ length: 20 }, (_, index) => orders.call(createCheckout, index % 2 ? chosen : { products: [product.id] }, seller)),
  )
  const { succeeded, refusals } = await settleAll(
    checkouts.map(({ client_secret, discount_id }, index) => {
      const discount_code = discount_id ? null : 'all'
      const buyer = { customer_email: `${index}@example.com`, confirmation_token_id: 'ctoken_ok' }
      return orders.call(confirmCheckout, { client_secret, discount_code, ...buyer }, anonymous)
    }),
  )
  expect(refusals.map(({ message }) => message)).toEqual([])
  expect(succeeded).toBe(20)
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 20 })
  expect(await orders.rows('select from orders where discount_amount = 500')).toHaveLength(20)
})

test('a transaction that changes an outdated version of a row runs again with the new one', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const { id } = await orders.call(createTaxRate, { country: 'DE', name: 'VAT', percentage: 19 }, seller)
  const database = await openDatabase(definition, { url: orders.databaseUrl as string, poolMax: 1 })
  let attempts = 0
  await runInTransaction(database, { caller: seller, unit: silentWork() }, async ({ em }) => {
    const rate = await em.findOneOrFail(TaxRate, { id })
    if (++attempts === 1) await orders.rows(`update tax_rates set name = 'MwSt.', version = version + 1 where id = $1`, [id])
    rate.partsPerMillion = 70_000
  })
  await database.close()
  expect(attempts).toBe(2)
  expect(await orders.rows('select name, parts_per_million from tax_rates')).toEqual([{ name: 'MwSt.', parts_per_million: 70_000 }])
})
