import { randomUUID } from 'node:crypto'
import { Polar } from '@polar-sh/sdk'
import type { CustomerPortal } from '@polar-sh/sdk/sdk/customerportal.js'
import { AlreadyActiveSubscriptionError } from '@polar-sh/sdk/models/errors/alreadyactivesubscriptionerror.js'
import { AlreadyCanceledSubscription } from '@polar-sh/sdk/models/errors/alreadycanceledsubscription.js'
import { HTTPValidationError } from '@polar-sh/sdk/models/errors/httpvalidationerror.js'
import { ResourceNotFound } from '@polar-sh/sdk/models/errors/resourcenotfound.js'
import { validateEvent } from '@polar-sh/sdk/webhooks'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { beforeAll, expect, test } from 'vitest'

let system: RunningSystem
let polar: Polar
let portal: CustomerPortal

beforeAll(async () => {
  system = await useSharedSystem()
  polar = new Polar({ accessToken: system.demo.organization_access_token, serverURL: system.readReadyFile().base_url })
  portal = polar.customerPortal
})

function aPlan(priceAmount: number, recurringInterval: 'month' | 'year' = 'month') {
  return polar.products.create({ name: `Plan ${priceAmount}`, recurringInterval, prices: [{ amountType: 'fixed', priceAmount }] })
}

/** Creates a new customer with an active subscription and a customer session. */
async function aSubscriber(priceAmount = 1000) {
  const product = await aPlan(priceAmount)
  const customer = await polar.customers.create({ email: `${randomUUID()}@example.com` })
  const { clientSecret } = await polar.checkouts.create({ products: [product.id], customerId: customer.id })
  await polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: { confirmationTokenId: 'ctoken_ok' } })
  const subscription = await eventually(async () => {
    const [found] = (await polar.subscriptions.list({ customerId: customer.id })).result.items
    if (!found) throw new Error('not active yet')
    return found
  })
  const { token } = await polar.customerSessions.create({ customerId: customer.id })
  return { product, customer, subscription, me: { customerSession: token } }
}

const raw = (method: string, path: string, { token, body }: { token: string; body?: unknown }) =>
  callApi(`${system.readReadyFile().base_url}${path}`, { method, token, body })

test('the unmodified client sells, renews, changes and ends a subscription and verifies webhooks', async () => {
  await using sink = await startEndpointSink()
  const secret = 'a secret of my own'
  const events = ['created', 'updated', 'active', 'canceled', 'uncanceled', 'revoked'].map((word) => `subscription.${word}` as const)
  const endpoint = await polar.webhooks.createWebhookEndpoint({ url: sink.url, format: 'raw', secret, events: events as never })
  const { product, customer, subscription } = await aSubscriber()
  const { id } = subscription
  expect(subscription).toMatchObject({ status: 'active', amount: 1000, recurringInterval: 'month', product: { id: product.id } })
  expect(await polar.subscriptions.get({ id })).toEqual(subscription)

  const token = system.demo.organization_access_token
  const to = new Date((subscription.currentPeriodEnd?.getTime() ?? 0) + 5_000).toISOString()
  expect(await raw('POST', '/v1/test-clock/advance', { token, body: { to } })).toMatchObject({ status: 200, body: { now: to } })
  await eventually(async () => {
    const { result } = await polar.orders.list({ customerId: customer.id, sorting: ['created_at'] })
    expect(result.items).toMatchObject([
      { billingReason: 'subscription_create', paid: true },
      { billingReason: 'subscription_cycle', paid: true, subscription: { id, status: 'active' } },
    ])
  })

  const update = (subscriptionUpdate: Parameters<typeof polar.subscriptions.update>[0]['subscriptionUpdate']) =>
    polar.subscriptions.update({ id, subscriptionUpdate })
  const larger = await aPlan(2500)
  expect(await update({ productId: larger.id, prorationBehavior: 'prorate' })).toMatchObject({ amount: 2500, product: { id: larger.id } })
  const discount = await polar.discounts.create({ name: 'Loyal', type: 'percentage', basisPoints: 2000, duration: 'forever' })
  expect(await update({ discountId: discount.id })).toMatchObject({ amount: 2000, discount: { id: discount.id } })
  expect(await update({ cancelAtPeriodEnd: true, customerCancellationReason: 'unused' })).toMatchObject({ cancelAtPeriodEnd: true })
  await expect(update({ cancelAtPeriodEnd: true })).rejects.toBeInstanceOf(AlreadyCanceledSubscription)
  expect(await update({ cancelAtPeriodEnd: false })).toMatchObject({ cancelAtPeriodEnd: false, endsAt: null })
  await expect(update({ productId: randomUUID() })).rejects.toBeInstanceOf(HTTPValidationError)
  expect(await polar.subscriptions.revoke({ id })).toMatchObject({ status: 'canceled', endedAt: expect.any(Date) })
  await expect(polar.subscriptions.revoke({ id })).rejects.toBeInstanceOf(AlreadyCanceledSubscription)
  await expect(polar.subscriptions.get({ id: randomUUID() })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.subscriptions.revoke({ id: randomUUID() })).rejects.toBeInstanceOf(ResourceNotFound)
  const ended = await polar.subscriptions.list({ customerId: customer.id, active: false, sorting: ['-amount'] })
  expect(ended.result.items.map((found) => found.id)).toEqual([id])

  const told = () =>
    sink.received
      .map(({ body, headers }) => validateEvent(body, headers as Record<string, string>, secret))
      .filter((event) => 'id' in event.data && event.data.id === id)
      .map((event) => String(event.type).replace('subscription.', ''))
  await eventually(() => expect(told().at(-1)).toBe('revoked'))
  const renewed = ['updated']
  const changed = ['updated', 'updated', 'updated', 'canceled', 'updated', 'uncanceled', 'updated', 'canceled', 'revoked']
  expect(told()).toEqual(['created', 'updated', 'active', ...renewed, ...changed])
  await polar.webhooks.deleteWebhookEndpoint({ id: endpoint.id })
})

test('a customer manages their own subscription in the portal, not another customer’s', async () => {
  const { subscription, me } = await aSubscriber()
  const { id } = subscription
  const mine = []
  for await (const page of await portal.subscriptions.list(me, { active: true, query: 'PLAN' })) mine.push(...page.result.items)
  expect(mine).toMatchObject([{ id, status: 'active', product: { organization: { slug: system.demo.organization.slug } } }])
  expect(await portal.subscriptions.get(me, { id })).toEqual(mine[0])
  const larger = await aPlan(3000)
  const change = (customerSubscriptionUpdate: Parameters<typeof portal.subscriptions.update>[1]['customerSubscriptionUpdate']) =>
    portal.subscriptions.update(me, { id, customerSubscriptionUpdate })
  expect(await change({ productId: larger.id })).toMatchObject({ amount: 3000 })
  expect(await portal.subscriptions.cancel(me, { id })).toMatchObject({ cancelAtPeriodEnd: true, status: 'active' })
  await expect(portal.subscriptions.cancel(me, { id })).rejects.toBeInstanceOf(AlreadyCanceledSubscription)
  expect(await change({ cancelAtPeriodEnd: false })).toMatchObject({ cancelAtPeriodEnd: false })
  const why = { cancelAtPeriodEnd: true, cancellationReason: 'too_complex', cancellationComment: 'Much.' } as const
  expect(await change(why)).toMatchObject({ customerCancellationReason: 'too_complex', customerCancellationComment: 'Much.' })
  const stranger = await aSubscriber()
  await expect(portal.subscriptions.get(stranger.me, { id })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(portal.subscriptions.cancel(stranger.me, { id })).rejects.toBeInstanceOf(ResourceNotFound)
})

test('it exports subscriptions, which the client parses as JSON', async () => {
  const { customer } = await aSubscriber()
  expect(await polar.subscriptions.export({})).toContain(customer.email)
})

test('a second subscription of a customer is a typed error at the confirmation', async () => {
  const { customer, product } = await aSubscriber()
  const { clientSecret } = await polar.checkouts.create({ products: [product.id], customerId: customer.id })
  const again = polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: { confirmationTokenId: 'ctoken_ok' } })
  await expect(again).rejects.toBeInstanceOf(AlreadyActiveSubscriptionError)
})

test('outside the client: the deprecated price, and who is authorized', async () => {
  const { subscription } = await aSubscriber()
  const path = `/v1/subscriptions/${subscription.id}`
  const { status, body, headers } = await raw('GET', path, { token: system.demo.organization_access_token })
  expect(status).toBe(200)
  expect(body).toMatchObject({ price_id: body.prices[0].id, price: body.prices[0], user_id: body.customer_id })
  expect(headers.get('deprecation')).not.toBeNull()
  const stranger = system.demo.second_organization.organization_access_token
  expect(await raw('GET', path, { token: stranger })).toMatchObject({ status: 404 })
  expect(await raw('PATCH', path, { token: stranger, body: { revoke: true } })).toMatchObject({ status: 404 })
  expect(await raw('PATCH', path, { token: system.demo.organization_access_token, body: {} })).toMatchObject({ status: 422 })
})
