import { randomUUID } from 'node:crypto'
import { markRefundAsPaid } from '@quittance/contracts/bank-receipts'
import { limitToOrganization, type Caller } from '@quittance/contracts/caller'
import { createCheckout, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { createCustomer } from '@quittance/contracts/customers'
import { RequestValidationError } from '@quittance/contracts/errors'
import { validateLicenseKey } from '@quittance/contracts/license-keys'
import type { PublicOperation } from '@quittance/contracts/operation'
import { acceptsIdempotencyKey } from '@quittance/runtime/idempotency'
import { call } from '@quittance/runtime/rpc-client'
import { userCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { createPopulatedShop, ordersOperations, type PopulatedShop } from './populated-shop.ts'
import { anonymous, buyLicenseKey, createLicenseKeyShop } from './sell-license-keys.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { sharedFake } from './stripe-shop.ts'

const writing = ordersOperations.filter(acceptsIdempotencyKey)

/** Changes that make a different request of each operation; operations without a body, or about nothing else than their object, have none. */
const differentRequests: Record<string, object> = {
  'orders.product.create': { name: 'Another almanac' },
  'orders.product.update': { name: 'Another name' },
  'orders.product.update-benefits': { benefits: [] },
  'orders.benefit.create': { description: 'Another book' },
  'orders.benefit.update': { description: 'Three books' },
  'orders.license-key.update': { usage: 1 },
  'orders.license-key.validate': { increment_usage: 1 },
  'orders.license-key.activate': { label: 'another' },
  'orders.license-key.deactivate': { activation_id: randomUUID() },
  'orders.sold-license-key.validate': { increment_usage: 1 },
  'orders.sold-license-key.activate': { label: 'another' },
  'orders.sold-license-key.deactivate': { activation_id: randomUUID() },
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
  'orders.checkout-link.create': { label: 'Another label' },
  'orders.checkout-link.update': { label: 'Another label' },
  'orders.checkout-link.open': { customer_name: 'Another name' },
  'orders.order.update': { billing_name: 'Another name' },
  'orders.payment-account.create': { webhook_secret: 'whsec_another' },
  'orders.payment-account.update': { webhook_secret: 'whsec_another' },
  'orders.payment-settings.update': { after_last_try: 'canceled' },
  'orders.payment.add-receipt': { amount: 2 },
  'orders.payment-account.import-statement': { document: 'Another document' },
  'orders.refund.create': { amount: 2 },
  'orders.subscription.update': { discount_id: randomUUID() },
  'orders.subscription.change-preview': { product_id: randomUUID() },
  'orders.customer-subscription.change-preview': { product_id: randomUUID() },
  'orders.customer-order.confirm-payment': { confirmation_token_id: 'ctoken_ok' },
  'orders.customer-payment-method.add': { set_default: true },
  'orders.customer-payment-method.confirm': { setup_id: randomUUID() },
  'orders.customer-subscription.update': { cancel_at_period_end: true },
  'orders.test-clock.advance': { to: '2100-01-01T00:00:00Z' },
  'orders.customer-session.create': { customer_id: randomUUID() },
  'orders.customer-code.authenticate': { code: 'another' },
  'orders.withdrawal.declare': { name: 'Another name' },
  'orders.cancellation.declare': { name: 'Another name' },
  'orders.customer-order.update': { billing_name: 'Another name' },
  'orders.portal-customer.update': { name: 'Another name' },
  'orders.portal-customer.request-email-update': { email: 'another@example.com' },
  'orders.portal-customer.verify-email-update': { token: 'another' },
}

const withoutBody = new Set([
  'orders.customer-payment-method.set-default',
  'orders.customer-code.request',
  'orders.payment-account.check',
  'orders.refund.mark-as-paid',
  'orders.bank-receipt.mark-as-returned',
  'orders.order.generate-invoice',
  'orders.order.retry-payment',
  'orders.order.void',
  'orders.customer-order.generate-invoice',
  'orders.sandbox-action.complete',
])

test('runs each POST and PATCH once per key: 409 in progress, then replay, 422 if changed [17]', async () => {
  await sharedFake()
  await using orders = await startOrders()
  const shop = await createPopulatedShop(orders)
  for (const operation of writing) {
    const key = randomUUID()
    const first = await sendWhileRunning(orders, { operation, shop, key })
    // A job reads the refund right after the request, and publishes its end.
    if (operation === markRefundAsPaid) await awaitReturned(orders, String(first.request['id']))
    const count = await outboxCount(orders)
    const { request, caller } = first
    const again = { operation, request, caller, idempotencyKey: key }
    expect({ [operation.subject]: await call(orders.connection, again) }).toEqual({ [operation.subject]: first.reply })
    expect({ [operation.subject]: await outboxCount(orders) }).toEqual({ [operation.subject]: count })
    if (withoutBody.has(operation.subject)) continue
    const other = { ...request, ...differentRequests[operation.subject] }
    expect({ [operation.subject]: other }, 'needs a changed request in differentRequests').not.toEqual({ [operation.subject]: request })
    const rejection = await call(orders.connection, { ...again, request: other }).catch((error: unknown) => error)
    const detail = [{ loc: ['header', 'Idempotency-Key'], msg: expect.any(String), type: 'value_error' }]
    expect(rejection).toMatchObject({ status: 422, body: { error: 'RequestValidationError', detail } })
    expect({ [operation.subject]: await outboxCount(orders) }).toEqual({ [operation.subject]: count })
  }
})

test('a key of an anonymous caller belongs to the license key or checkout the request acts on', async () => {
  await using orders = await startOrders()
  const idempotencyKey = randomUUID()
  const sellers = [await createLicenseKeyShop(orders), await createLicenseKeyShop(orders)]
  for (const shop of sellers) {
    const { held, licenseKey } = await buyLicenseKey(orders, shop)
    const request = { operation: validateLicenseKey, request: held, caller: anonymous, idempotencyKey }
    expect(await call(orders.connection, request)).toMatchObject({ id: licenseKey.id, validations: 1 })
    expect(await call(orders.connection, request)).toMatchObject({ id: licenseKey.id, validations: 1 })
    const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
    const named = { client_secret, customer_email: `buyer-of-${shop.organizationId}@example.com` }
    const update = { operation: updateCheckoutByClient, request: named, caller: anonymous, idempotencyKey }
    expect(await call(orders.connection, update)).toMatchObject({ customer_email: named.customer_email })
  }
})

test('a user whose request is limited to an organization creates there, with separate keys', async () => {
  await using orders = await startOrders()
  const shops = [await orders.shop(), await orders.shop()]
  const organizationIds = shops.map(({ organizationId }) => organizationId)
  const user = userCaller({ userId: randomUUID(), organizationIds })
  const idempotencyKey = randomUUID()
  const create = (organizationId: string, given: object = {}) =>
    call(orders.connection, {
      operation: createCustomer,
      request: { email: 'ada@example.com', ...given },
      caller: limitToOrganization(user, organizationId) as Caller,
      idempotencyKey,
    })
  await expect(orders.call(createCustomer, { email: 'ada@example.com' }, user)).rejects.toThrow(RequestValidationError)
  const [first = '', second = ''] = organizationIds
  const created = await create(first)
  expect(created).toMatchObject({ organization_id: first })
  expect(await create(second)).toMatchObject({ organization_id: second })
  expect(await create(first)).toEqual(created)
  const elsewhere = { email: 'bob@example.com', organization_id: second }
  await expect(orders.call(createCustomer, elsewhere, limitToOrganization(user, first) as Caller)).rejects.toThrow(RequestValidationError)
})

interface Repeated {
  operation: PublicOperation
  shop: PopulatedShop
  key: string
}

/**
 * Sends two concurrent requests with one key and blocks the first while its reply is stored: the other is a conflict, and the first
 * succeeds.
 */
async function sendWhileRunning(orders: OrdersUnderTest, { operation, shop, key }: Repeated) {
  const { request, caller } = shop.requestFor(operation)
  const release = await orders.holdTransaction('lock table idempotent_replies in share mode')
  const options = { operation, request, caller, idempotencyKey: key }
  const both = [call(orders.connection, options), call(orders.connection, options)]
  const conflict = await Promise.race(both).catch((error: unknown) => error)
  await release()
  expect(`${operation.subject} ${conflict}`).toMatch(/still in progress/)
  expect(conflict).toMatchObject({ status: 409, body: { error: 'Conflict' } })
  return { request, caller, reply: await Promise.any(both) }
}

async function awaitReturned(orders: OrdersUnderTest, refundId: string): Promise<void> {
  const returned = `select from refunds where id = $1 and state = 'succeeded'`
  await eventually(async () => expect(await orders.rows(returned, [refundId])).toHaveLength(1))
}

async function outboxCount(orders: OrdersUnderTest): Promise<number> {
  return (await orders.rows('select from outbox_messages')).length
}
