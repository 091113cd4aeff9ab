import { randomUUID } from 'node:crypto'
import type { PublicOperation } from '@quittance/contracts/operation'
import { call } from '@quittance/runtime/request'
import { expect, test } from 'vitest'
import { furnishedShop, ordersOperations, type FurnishedShop } from './furnished-shop.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

const writing = ordersOperations.filter(({ http }) => http.method === 'POST' || http.method === 'PATCH')

/** What makes another request of each; those that are asked without a body have no other. */
const otherwise: Record<string, object> = {
  'orders.product.create': { name: 'Another almanac' },
  'orders.product.update': { name: 'Another name' },
  'orders.product.update-benefits': { benefits: [] },
  'orders.benefit.create': { description: 'Another book' },
  'orders.benefit.update': { description: 'Three books' },
  'orders.license-key.update': { usage: 1 },
  'orders.license-key.validate': { increment_usage: 1 },
  'orders.license-key.activate': { label: 'another' },
  'orders.license-key.deactivate': { activation_id: randomUUID() },
  'orders.tax-rate.create': { name: 'Another name' },
  'orders.tax-rate.update': { name: 'Another name' },
  'orders.discount.create': { basis_points: 1 },
  'orders.discount.update': { name: 'Another name' },
  'orders.customer.create': { name: 'Another name' },
  'orders.customer.update': { name: 'Another name' },
  'orders.customer.update-by-external-id': { name: 'Another name' },
  'orders.checkout.create': { customer_name: 'Another name' },
  'orders.checkout.confirm': { customer_name: 'Another name' },
  'orders.checkout.update': { customer_name: 'Another name' },
  'orders.checkout.update-by-client': { customer_name: 'Another name' },
  'orders.order.update': { billing_name: 'Another name' },
  'orders.refund.create': { amount: 2 },
  'orders.subscription.update': { cancel_at_period_end: false },
  'orders.customer-subscription.update': { cancel_at_period_end: true },
  'orders.test-clock.advance': { to: '2100-01-01T00:00:00Z' },
  'orders.customer-session.create': { customer_id: randomUUID() },
  'orders.customer-order.update': { billing_name: 'Another name' },
  'orders.portal-customer.update': { name: 'Another name' },
}

const withoutBody = new Set(['orders.order.generate-invoice', 'orders.customer-order.generate-invoice'])

test('every POST and PATCH is done once under its Idempotency-Key: meanwhile 409, afterwards the same answer, for another request 422 (checklist 17)', async () => {
  await using orders = await startOrders()
  const shop = await furnishedShop(orders)
  for (const operation of writing) {
    const key = randomUUID()
    const first = await answerWhileRunning(orders, { operation, shop, key })
    const count = await outboxCount(orders)
    const { request, caller } = first
    const again = { operation, request, caller, idempotencyKey: key }
    expect({ [operation.subject]: await call(orders.connection, again) }).toEqual({ [operation.subject]: first.reply })
    expect({ [operation.subject]: await outboxCount(orders) }).toEqual({ [operation.subject]: count })
    if (withoutBody.has(operation.subject)) continue
    const other = { ...request, ...otherwise[operation.subject] }
    expect(other).not.toEqual(request)
    const refused = await call(orders.connection, { ...again, request: other }).catch((error: unknown) => error)
    const detail = [{ loc: ['header', 'Idempotency-Key'], msg: expect.any(String), type: 'value_error' }]
    expect(refused).toMatchObject({ status: 422, body: { error: 'RequestValidationError', detail } })
    expect({ [operation.subject]: await outboxCount(orders) }).toEqual({ [operation.subject]: count })
  }
})

interface Repeated {
  operation: PublicOperation
  shop: FurnishedShop
  key: string
}

/** Two at once under one key, the first held back where its answer is kept: the other is a conflict, and the first is answered. */
async function answerWhileRunning(orders: OrdersUnderTest, { operation, shop, key }: Repeated) {
  const { request, caller } = shop.requestFor(operation)
  const release = await orders.hold('lock table idempotent_replies in share mode')
  const asked = { operation, request, caller, idempotencyKey: key }
  const both = [call(orders.connection, asked), call(orders.connection, asked)]
  const early = await Promise.race(both).catch((error: unknown) => error)
  await release()
  expect(`${operation.subject} ${early}`).toMatch(/still being answered/)
  expect(early).toMatchObject({ status: 409, body: { error: 'Conflict' } })
  return { request, caller, reply: await Promise.any(both) }
}

async function outboxCount(orders: OrdersUnderTest): Promise<number> {
  return (await orders.rows('select from outbox_messages')).length
}
