import { confirmCheckout, createCheckout, NotOpenCheckout } from '@quittance/contracts/checkouts'
import { createDiscount, getDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { getOrder } from '@quittance/contracts/orders'
import { createRefund, RefundAmountTooHigh } from '@quittance/contracts/refunds'
import { startService } from '@quittance/runtime/service'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { orders as service } from '../src/service.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

const many = 50
const anonymous = { kind: 'anonymous' } as const

/** Two replicas on one database; NATS hands every request to either. */
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

/** What became of requests that were sent at once: how many succeeded, and the classes of the refusals. */
async function outcomesOf(requests: Promise<unknown>[]) {
  const settled = await Promise.allSettled(requests)
  const refusals = settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []))
  return { succeeded: settled.length - refusals.length, refusals }
}

/** Every event was told: nothing waits in the outbox. */
function untilTold(orders: OrdersUnderTest): Promise<void> {
  return eventually(async () => expect(await orders.rows('select from outbox_messages where published_at is null')).toHaveLength(0))
}

const countOf = ({ said }: OrdersUnderTest, subject: string) => said.filter((event) => event.subject === subject).length

test('of fifty confirmations of one checkout at two replicas one wins: one order, one payment, one customer, one redemption', async () => {
  await using orders = await startTwice()
  const { seller, product } = await orders.shop()
  const tenPercent = { name: 'Ten', type: 'percentage' as const, basis_points: 1000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, tenPercent, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const { succeeded, refusals } = await outcomesOf(
    Array.from({ length: many }, () => orders.call(confirmCheckout, confirmation, anonymous)),
  )
  expect(succeeded).toBe(1)
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(NotOpenCheckout)
  await eventually(() => expect(countOf(orders, 'event.order.paid')).toBe(1))
  await untilTold(orders)
  const tables = ['orders', 'order_items', 'payments', 'customers', 'customer_sessions']
  for (const table of tables) expect(await orders.rows(`select from ${table}`)).toHaveLength(1)
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 1 })
  for (const fact of ['order.created', 'order.updated', 'order.paid', 'customer.created']) expect(countOf(orders, `event.${fact}`)).toBe(1)
})

test('of fifty refunds of one order at two replicas as many succeed as there is money for, each with its events', async () => {
  await using orders = await startTwice()
  const { order, seller } = await orders.paidOrder({ billed: false })
  const asked = { order_id: order.id, reason: 'other' as const, amount: 137 }
  const { succeeded, refusals } = await outcomesOf(Array.from({ length: many }, () => orders.call(createRefund, asked, seller)))
  expect(succeeded).toBe(Math.floor(order.net_amount / asked.amount))
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(RefundAmountTooHigh)
  const refunded = succeeded * asked.amount
  const now = await orders.call(getOrder, { id: order.id }, seller)
  expect(now).toMatchObject({ status: 'partially_refunded', refunded_amount: refunded })
  const [sum] = await orders.rows('select sum(amount)::int as net, sum(tax_amount)::int as tax, count(*)::int as count from refunds')
  expect(sum).toEqual({ net: refunded, tax: now.refunded_tax_amount, count: succeeded })
  await untilTold(orders)
  const told = orders.said.map(({ subject }) => subject)
  const three = ['event.refund.created', 'event.order.updated', 'event.order.refunded']
  expect(told.slice(told.indexOf('event.refund.created'))).toEqual(Array.from({ length: succeeded }, () => three).flat())
})

test('of fifty checkouts at once that share a discount for one, one gets it, and the others are told which field is in the way', async () => {
  await using orders = await startTwice()
  const { seller, product } = await orders.shop()
  const forOne = { name: 'First', type: 'percentage' as const, basis_points: 5000, duration: 'once' as const, max_redemptions: 1 }
  const discount = await orders.call(createDiscount, { ...forOne, code: 'FIRST' }, seller)
  const checkouts = await Promise.all(
    Array.from({ length: many }, () => orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)),
  )
  const confirmation = { customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  const { succeeded, refusals } = await outcomesOf(
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

test('twenty checkouts at once that share a discount for all, chosen by the seller or by its code, are all confirmed', async () => {
  await using orders = await startTwice()
  const { seller, product } = await orders.shop()
  const forAll = { name: 'All', type: 'fixed' as const, amount: 500, duration: 'once' as const, code: 'ALL' }
  const discount = await orders.call(createDiscount, forAll, seller)
  const chosen = { products: [product.id], discount_id: discount.id }
  const checkouts = await Promise.all(
    Array.from({ length: 20 }, (_, index) => orders.call(createCheckout, index % 2 ? chosen : { products: [product.id] }, seller)),
  )
  const { succeeded, refusals } = await outcomesOf(
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
