import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { verifyCustomerSession } from '@quittance/contracts/customer-sessions'
import { declarationReceived, declareCancellation, declareWithdrawal, listDeclarations } from '@quittance/contracts/declarations'
import { RequestValidationError, ResourceNotFound, TooManyRequests } from '@quittance/contracts/errors'
import { invoiceGenerated } from '@quittance/contracts/invoices'
import { generateOrderInvoice, getOrder, listOrders, updateOrder, type Order } from '@quittance/contracts/orders'
import { createRefund } from '@quittance/contracts/refunds'
import { getSubscription } from '@quittance/contracts/subscriptions'
import { hashToken } from '@quittance/runtime/credential'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { buyPlan } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

interface SaleOptions {
  email?: string
  interval?: 'month' | null
  country?: string
  details?: object
}

/** Sells to a consumer; returns the paid order, and the caller of the buyer's session. */
async function sellToConsumer(
  orders: OrdersUnderTest,
  shop: Shop,
  options: SaleOptions = {},
): Promise<{ order: Order; buyer: Caller; email: string }> {
  const { email = `${randomUUID()}@example.com`, interval = 'month', country = 'DE', details = {} } = options
  const { createProduct } = await import('@quittance/contracts/products')
  const prices = [{ amount_type: 'fixed' as const, price_amount: 900 }]
  const product = await orders.call(createProduct, { name: 'Library card', recurring_interval: interval, prices }, shop.seller)
  const { id, client_secret } = await orders.call(createCheckout, { products: [product.id] }, shop.seller)
  const confirmation = {
    client_secret,
    customer_email: email,
    customer_billing_address: { country },
    confirmation_token_id: 'ctoken_ok',
    ...details,
  }
  const { customer_session_token } = await orders.call(confirmCheckout, confirmation, anonymous)
  const { caller } = await orders.call(verifyCustomerSession, { hash: hashToken(customer_session_token) }, anonymous)
  const order = await eventually(async () => {
    const { items } = await orders.call(listOrders, { checkout_id: id }, shop.seller)
    if (items[0]?.status !== 'paid') throw new Error('not paid yet')
    return items[0]
  })
  return { order, buyer: caller, email }
}

const declare = (shop: Shop, email: string, more: object = {}) => ({
  organization_id: shop.organizationId,
  name: 'Ada Lovelace',
  email,
  ...more,
})

test('a consumer in the EU can withdraw for 14 days; a business, others and who gave it up cannot [pages 83]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const until = async (options: SaleOptions) => (await sellToConsumer(orders, shop, options)).order.withdrawal_until
  expect(await until({})).toEqual(expect.any(String))
  expect(await until({ country: 'US' })).toBeNull()
  expect(await until({ details: { is_business_customer: true, customer_billing_name: 'Engines Ltd' } })).toBeNull()
  expect(await until({ details: { immediate_access_consent: true } })).toBeNull()
})

test('the right of withdrawal ends with the last day in the country of the consumer, and not on a weekend', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const cases = [
    ['DE', '2026-11-29T22:42:49Z', '2026-12-14T22:59:59.999Z'],
    ['DE', '2026-11-29T23:30:00Z', '2026-12-14T22:59:59.999Z'],
    ['FI', '2026-06-12T21:30:00Z', '2026-06-29T20:59:59.999Z'],
    ['PT', '2026-06-10T23:30:00Z', '2026-06-25T22:59:59.999Z'],
    ['IS', '2026-06-10T23:30:00Z', '2026-06-24T23:59:59.999Z'],
  ] as const
  for (const [country, at, until] of cases) {
    const { order } = await sellToConsumer(orders, shop, { country })
    await orders.rows('update orders set created_at = $1 where id = $2 returning 1', [at, order.id])
    const { withdrawal_until } = await orders.call(getOrder, { id: order.id }, shop.seller)
    expect(new Date(withdrawal_until ?? '').toISOString()).toBe(until)
  }
})

test('signed in and in time, a withdrawal ends the subscription, once, and is open until the refund [pages 81]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { order, buyer, email } = await sellToConsumer(orders, shop)
  const request = declare(shop, email, { order_id: order.id, reference: 'Library card' })
  const receipt = await orders.call(declareWithdrawal, request, buyer)
  expect(receipt).toEqual({
    id: expect.any(String),
    created_at: expect.any(String),
    organization_id: shop.organizationId,
    kind: 'withdrawal',
    name: 'Ada Lovelace',
    email,
    reference: 'Library card',
    ground: null,
  })
  expect(await orders.call(getSubscription, { id: order.subscription_id as string }, shop.seller)).toMatchObject({ status: 'canceled' })
  const [kept] = (await orders.call(listDeclarations, { is_settled: false }, shop.seller)).items
  const refund_due_at = new Date(Date.parse(receipt.created_at) + 14 * 86_400_000).toISOString()
  expect(await orders.nextEvent(declarationReceived)).toEqual({
    ...receipt,
    customer_id: order.customer_id,
    locale: null,
    effect: 'subscription_ended',
    refund_due_at,
  })
  expect(kept).toMatchObject({ id: receipt.id, is_verified: true, order_id: order.id, effect: 'subscription_ended', is_settled: false })
  expect(Date.parse(kept?.refund_due_at ?? '')).toBe(Date.parse(refund_due_at))
  await orders.call(declareWithdrawal, request, buyer)
  expect((await orders.call(listDeclarations, {}, shop.seller)).items.map(({ effect }) => effect)).toEqual(['none', 'subscription_ended'])
})

test('an anonymous withdrawal is kept with the contract it names, or without one, and ends nothing [pages 80] [pages 82]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { order, email } = await sellToConsumer(orders, shop)
  const matched = await orders.call(declareWithdrawal, declare(shop, email.toUpperCase(), { reference: order.id }), anonymous)
  const unmatched = await orders.call(declareWithdrawal, declare(shop, 'stranger@example.com', { reference: order.id }), anonymous)
  // The replies do not show which was found.
  expect(Object.keys(matched)).toEqual(Object.keys(unmatched))
  expect(await orders.call(getSubscription, { id: order.subscription_id as string }, shop.seller)).toMatchObject({ status: 'active' })
  const { items } = await orders.call(listDeclarations, {}, shop.seller)
  expect(items).toMatchObject([
    { id: unmatched.id, order_id: null, customer_id: null, is_verified: false, effect: 'none' },
    { id: matched.id, order_id: order.id, customer_id: order.customer_id, is_verified: false, effect: 'none' },
  ])
  const other = await orders.shop()
  expect((await orders.call(listDeclarations, {}, other.seller)).items).toEqual([])
})

test('the task of a withdrawal counts the days and closes with the refund [pages 84]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { order, email } = await sellToConsumer(orders, shop)
  await orders.call(declareWithdrawal, declare(shop, email, { reference: order.id }), anonymous)
  const read = async () => {
    const { items } = await orders.call(listDeclarations, {}, shop.seller)
    return [items[0]?.days_left, items[0]?.is_settled]
  }
  const open = async () => (await orders.call(listDeclarations, { is_settled: false }, shop.seller)).items.length
  expect(await read()).toEqual([14, false])
  await orders.rows(`update declarations set refund_due_at = refund_due_at - interval '5 days' returning id`)
  expect(await read()).toEqual([9, false])
  await orders.rows(`update declarations set refund_due_at = now() - interval '1 minute' returning id`)
  expect([await read(), await open()]).toEqual([[0, false], 1])
  const { net_amount } = await orders.call(getOrder, { id: order.id }, shop.seller)
  await orders.call(createRefund, { order_id: order.id, reason: 'customer_request', amount: net_amount }, shop.seller)
  await eventually(async () => expect(await read()).toEqual([null, true]))
  expect(await open()).toBe(0)
})

test('a cancellation without a sign-in ends the subscription with its period, if number and address fit', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { order, email } = await sellToConsumer(orders, shop)
  const id = order.subscription_id as string
  const cancel = (address: string, reference: string) =>
    orders.call(declareCancellation, declare(shop, address, { reference, ground: 'ordinary' as const }), anonymous)
  await cancel('stranger@example.com', id)
  await cancel(email, randomUUID())
  expect(await orders.call(getSubscription, { id }, shop.seller)).toMatchObject({ cancel_at_period_end: false })
  await cancel(email, id)
  expect(await orders.call(getSubscription, { id }, shop.seller)).toMatchObject({ status: 'active', cancel_at_period_end: true })
  await cancel(email, order.id)
  const { items } = await orders.call(listDeclarations, { kind: 'cancellation' }, shop.seller)
  expect(items.map(({ effect, ground, refund_due_at }) => [effect, ground, refund_due_at])).toEqual([
    ['none', 'ordinary', null],
    ['subscription_canceled', 'ordinary', null],
    ['none', 'ordinary', null],
    ['none', 'ordinary', null],
  ])
})

test('a cancellation of a subscription without a paid period ends it, and its reply does not show that', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { order, email } = await sellToConsumer(orders, shop)
  await orders.rows(`update subscriptions set status = 'unpaid', due_at = null returning id`)
  const incomplete = await buyPlan(orders, shop, { token: 'ctoken_pending', email: 'ada@example.com' })
  const cancel = (address: string, reference: string) =>
    orders.call(declareCancellation, declare(shop, address, { reference, ground: 'ordinary' as const }), anonymous)
  const unmatched = await cancel('stranger@example.com', order.id)
  for (const [address, id] of [
    [email, order.subscription_id as string],
    ['ada@example.com', incomplete.subscription.id],
  ] as const) {
    const receipt = await cancel(address, id)
    expect(Object.keys(receipt)).toEqual(Object.keys(unmatched))
    expect(await orders.call(getSubscription, { id }, shop.seller)).toMatchObject({ status: 'canceled', ended_at: expect.any(String) })
  }
  const mailed = [
    await orders.nextEvent(declarationReceived),
    await orders.nextEvent(declarationReceived),
    await orders.nextEvent(declarationReceived),
  ]
  expect(mailed.map((receipt) => [receipt.email, receipt.effect])).toEqual([
    ['stranger@example.com', 'none'],
    [email, 'subscription_canceled'],
    ['ada@example.com', 'subscription_canceled'],
  ])
  const { items } = await orders.call(listDeclarations, { is_settled: true }, shop.seller)
  expect(items).toMatchObject([
    { is_verified: false, email: 'ada@example.com' },
    { is_verified: false, email },
  ])
})

test('declarations of others with the address of a customer do not use up the withdrawals of the customer’s order', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { order, buyer, email } = await sellToConsumer(orders, shop)
  for (let made = 0; made < 5; made++) await orders.call(declareWithdrawal, declare(shop, email, { order_id: order.id }), anonymous)
  const own = declare(shop, email, { order_id: order.id })
  await orders.call(declareWithdrawal, own, buyer)
  expect(await orders.call(getSubscription, { id: order.subscription_id as string }, shop.seller)).toMatchObject({ status: 'canceled' })
  for (let made = 1; made < 5; made++) await orders.call(declareWithdrawal, own, buyer)
  await expect(orders.call(declareWithdrawal, own, buyer)).rejects.toThrow(TooManyRequests)
})

test('declarations of a stranger who only knows the address do not use up those that name the id of an order', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { order, email } = await sellToConsumer(orders, shop)
  for (let made = 0; made < 5; made++) await orders.call(declareWithdrawal, declare(shop, email, { reference: `${made}` }), anonymous)
  await expect(orders.call(declareCancellation, declare(shop, email, { reference: '6' }), anonymous)).rejects.toThrow(TooManyRequests)
  // The number of an invoice can be guessed.
  await orders.rows(`update orders set replaced_invoice_numbers = array['ACME-0001'] where id = $1 returning 1`, [order.id])
  await expect(orders.call(declareCancellation, declare(shop, email, { reference: 'ACME-0001' }), anonymous)).rejects.toThrow(
    TooManyRequests,
  )
  const named = declare(shop, email, { reference: order.id.toUpperCase() })
  await orders.call(declareWithdrawal, named, anonymous)
  await orders.call(declareCancellation, named, anonymous)
  expect(await orders.call(getSubscription, { id: order.subscription_id as string }, shop.seller)).toMatchObject({
    cancel_at_period_end: true,
  })
  for (let made = 2; made < 5; made++) await orders.call(declareWithdrawal, named, anonymous)
  await expect(orders.call(declareWithdrawal, named, anonymous)).rejects.toThrow(TooManyRequests)
})

test('one network makes 20 declarations an hour about a seller, whatever addresses it types; others can declare', async () => {
  await using orders = await startOrders()
  const [shop, other] = [await orders.shop(), await orders.shop()]
  const { order, buyer, email } = await sellToConsumer(orders, shop)
  const from = (network: string, about = shop) =>
    orders.call(declareCancellation, declare(about, `${randomUUID()}@example.com`), { kind: 'anonymous', network })
  const made = await Promise.allSettled(Array.from({ length: 22 }, () => from('203.0.113.7')))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  const rejected = await from('203.0.113.7').catch((error: unknown) => error)
  expect(rejected).toBeInstanceOf(TooManyRequests)
  await from('198.51.100.9')
  await from('203.0.113.7', other)
  await orders.call(declareWithdrawal, declare(shop, email, { order_id: order.id }), buyer)
  // An hour later the network is forgotten, and may declare again.
  await orders.rows(`update declarations set created_at = created_at - interval '1 hour' returning id`)
  await from('203.0.113.7')
  await orders.rows(`notify wake, 'forget-declaration-networks'`)
  await eventually(async () => expect(await orders.rows('select from declarations where network is not null')).toHaveLength(1))
})

test('rejects links, orders of others and other sellers, and the sixth declaration of an address in a day', async () => {
  await using orders = await startOrders()
  const [shop, other] = [await orders.shop(), await orders.shop()]
  const { order, email } = await sellToConsumer(orders, shop)
  const { buyer } = await sellToConsumer(orders, shop)
  for (const text of ['https://evil.example', 'www.evil.example', 'a\u202eb', ' ']) {
    await expect(orders.call(declareWithdrawal, declare(shop, email, { name: text }), anonymous)).rejects.toThrow(RequestValidationError)
    await expect(orders.call(declareCancellation, declare(shop, email, { reference: text }), anonymous)).rejects.toThrow(
      RequestValidationError,
    )
  }
  await expect(orders.call(declareWithdrawal, declare(shop, email, { order_id: order.id }), buyer)).rejects.toThrow(ResourceNotFound)
  await expect(orders.call(declareWithdrawal, declare(shop, email), buyer)).rejects.toThrow(RequestValidationError)
  await expect(orders.call(declareWithdrawal, declare(other, email, { order_id: order.id }), buyer)).rejects.toThrow(RequestValidationError)
  for (const operation of [declareWithdrawal, declareCancellation]) {
    const toUnknownOrganization = { ...declare(shop, email), organization_id: randomUUID() }
    await expect(orders.call(operation, toUnknownOrganization, anonymous)).rejects.toThrow(ResourceNotFound)
  }
  for (let made = 0; made < 5; made++) await orders.call(declareCancellation, declare(shop, email), anonymous)
  await expect(orders.call(declareWithdrawal, declare(shop, email), anonymous)).rejects.toThrow(TooManyRequests)
  await expect(orders.call(declareCancellation, declare(shop, email), anonymous)).rejects.toThrow(TooManyRequests)
  expect((await orders.call(getOrder, { id: order.id }, shop.seller)).status).toBe('paid')
})

test('after a correction an order has the number of the replacement, and a cancellation finds it by every number', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  for (const reference of ['ACME-0001', 'ACME-0002', 'ACME-0003']) {
    const { order, email } = await sellToConsumer(orders, shop)
    const { id, subscription_id } = order
    const billing_address = { line1: '1 Row', city: 'Berlin', postal_code: '10115', country: 'DE' as const }
    await orders.call(updateOrder, { id, billing_name: 'Ada Lovelace', billing_address }, shop.seller)
    await orders.call(generateOrderInvoice, { id }, shop.seller)
    const issue = (number: string, generated_at: string) => {
      const document = { invoice_id: randomUUID(), order_id: id, number, sha256: 'a'.repeat(64), generated_at }
      return orders.emit(invoiceGenerated, document, { organizationId: shop.organizationId, aggregateId: document.invoice_id })
    }
    const hasNumber = (number: string) =>
      eventually(async () => expect((await orders.call(getOrder, { id }, shop.seller)).invoice_number).toBe(number))
    await issue('ACME-0001', '2026-11-27T10:00:00.123Z')
    await hasNumber('ACME-0001')
    await issue('ACME-0002', '2026-11-27T11:00:00.000Z')
    await hasNumber('ACME-0002')
    // An event that arrives again, or late, changes nothing.
    await issue('ACME-0001', '2026-11-27T10:00:00.123Z')
    await issue('ACME-0003', '2026-11-27T12:00:00.000Z')
    await hasNumber('ACME-0003')
    await orders.call(declareCancellation, declare(shop, email, { reference, ground: 'ordinary' as const }), anonymous)
    const subscription = await orders.call(getSubscription, { id: subscription_id as string }, shop.seller)
    expect(subscription).toMatchObject({ status: 'active', cancel_at_period_end: true })
  }
})
