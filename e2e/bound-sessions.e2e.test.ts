import { randomUUID } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { beforeAll, expect, test } from 'vitest'
import { expectAccepted } from './sale.ts'

let system: RunningSystem

beforeAll(async () => {
  system = await useSharedSystem()
})

const portal = '/v1/customer-portal'

/** Sends requests with a customer session token. */
const callWith = (token: string) => (method: string, path: string, body?: unknown) =>
  callApi(`${system.readReadyFile().base_url}${path}`, { method, token, body })

async function createProduct(prices: object[], recurring_interval: 'month' | null = null) {
  return expectAccepted(() => system.api('POST', '/v1/products/', { name: `Product ${randomUUID()}`, recurring_interval, prices }))
}

/** Confirms a checkout with this e-mail address and only the client secret; returns the order and its portal session. */
async function buy(product: { id: string }, customer_email: string, customer_id: string | null = null) {
  const { api } = system
  const checkout = await expectAccepted(() => api('POST', '/v1/checkouts/', { products: [product.id], customer_id }))
  const confirmation = {
    customer_email,
    customer_name: 'Mallory',
    customer_billing_address: { country: 'FR', city: 'Paris', postal_code: '75001' },
    confirmation_token_id: 'ctoken_ok',
  }
  const { status, body } = await api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, confirmation)
  expect({ status, body }).toMatchObject({ status: 200, body: { customer_session_token: expect.stringMatching(/^qt_cst_/) } })
  const order = await eventually(async () => {
    const found = await api('GET', `/v1/orders/?checkout_id=${checkout.id}`)
    if (found.body.items?.[0]?.status !== 'paid') throw new Error('not paid yet')
    return found.body.items[0]
  })
  return { order, portal: callWith(body.customer_session_token) }
}

test('a free checkout with a customer’s e-mail address exposes and changes none of their data', async () => {
  const { api } = system
  const email = `${randomUUID()}@example.com`
  const victim = await expectAccepted(() =>
    api('POST', '/v1/customers/', { email, name: 'Ada Lovelace', billing_address: { country: 'GB' } }),
  )
  const ownPurchase = await buy(await createProduct([{ amount_type: 'fixed', price_amount: 900 }], 'month'), email, victim.id)
  const before = (await api('GET', `/v1/customers/${victim.id}`)).body

  const attackPurchase = await buy(await createProduct([{ amount_type: 'free' }]), email)
  expect(attackPurchase.order).toMatchObject({ customer_id: victim.id, billing_name: 'Mallory' })
  const attempts = [
    ['GET', `${portal}/orders/${ownPurchase.order.id}`],
    ['PATCH', `${portal}/orders/${ownPurchase.order.id}`, { billing_name: 'Mallory' }],
    ['POST', `${portal}/orders/${ownPurchase.order.id}/invoice`],
    ['GET', `${portal}/orders/${ownPurchase.order.id}/invoice`],
    ['GET', `${portal}/subscriptions/${ownPurchase.order.subscription_id}`],
    ['PATCH', `${portal}/subscriptions/${ownPurchase.order.subscription_id}`, { cancel_at_period_end: true }],
    ['DELETE', `${portal}/subscriptions/${ownPurchase.order.subscription_id}`],
  ] as const
  for (const [method, path, body] of attempts)
    expect([path, await attackPurchase.portal(method, path, body)]).toMatchObject([path, { status: 404 }])
  expect(await attackPurchase.portal('PATCH', `${portal}/customers/me`, { email: 'mallory@example.com' })).toMatchObject({ status: 403 })
  const me = await attackPurchase.portal('GET', `${portal}/customers/me`)
  expect(me).toMatchObject({ status: 200, body: { email, name: 'Mallory', billing_address: { country: 'FR' } } })
  const listed = await attackPurchase.portal('GET', `${portal}/orders/`)
  expect(listed.body).toMatchObject({ items: [{ id: attackPurchase.order.id }], pagination: { total_count: 1 } })
  expect((await attackPurchase.portal('GET', `${portal}/subscriptions/`)).body.pagination.total_count).toBe(0)
  expect((await api('GET', `/v1/customers/${victim.id}`)).body).toEqual(before)

  // The buyer still has access to their own purchase, including its invoice.
  expect(await attackPurchase.portal('POST', `${portal}/orders/${attackPurchase.order.id}/invoice`)).toMatchObject({ status: 202 })
  await eventually(async () => {
    expect(await attackPurchase.portal('GET', `${portal}/orders/${attackPurchase.order.id}/invoice`)).toMatchObject({ status: 200 })
  })
  // The customer's own session lists both orders.
  expect((await ownPurchase.portal('GET', `${portal}/orders/`)).body.pagination.total_count).toBe(2)
})

test('deleting a customer revokes their checkout-bound sessions', async () => {
  const { api } = system
  const email = `${randomUUID()}@example.com`
  const { id } = await expectAccepted(() => api('POST', '/v1/customers/', { email }))
  const purchase = await buy(await createProduct([{ amount_type: 'free' }]), email)
  expect(await purchase.portal('GET', `${portal}/customers/me`)).toMatchObject({ status: 200 })
  expect(await api('DELETE', `/v1/customers/${id}`)).toMatchObject({ status: 204 })
  await eventually(async () => expect(await purchase.portal('GET', `${portal}/customers/me`)).toMatchObject({ status: 401 }))
})
