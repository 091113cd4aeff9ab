import { randomUUID } from 'node:crypto'
import type { Polar } from '@polar-sh/sdk'
import type { CustomerPortal } from '@polar-sh/sdk/sdk/customerportal.js'
import { startEndpointSink, type EndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordingClient, type RecordingClient } from './recording-client.ts'

/** Operations that other files of this folder cover. */
const elsewhere = /^auth\.|license-key/

let system: RunningSystem
let sink: EndpointSink
let client: RecordingClient
let polar: Polar
let portal: CustomerPortal

beforeAll(async () => {
  system = await useSharedSystem()
  sink = await startEndpointSink()
  client = await recordingClient({ accessToken: system.demo.organization_access_token, serverURL: system.readReadyFile().base_url })
  polar = client.polar
  portal = polar.customerPortal
})
afterAll(() => sink[Symbol.asyncDispose]())

/** Returns all items of a paged list. */
async function all<Item>(list: Promise<AsyncIterable<{ result: { items: Item[] } }>>): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of await list) items.push(...page.result.items)
  return items
}

const created: Record<string, string> = {}
const idOf = (what: string): string => created[what] ?? `${what} was not made`
const address = { country: 'GB', line1: '12 St James’s Square', city: 'London', postalCode: 'SW1Y 4JH' }

/** Sells a product; the later operations use this order. */
async function buy(product: string, customer: string) {
  const { id, clientSecret } = await polar.checkouts.create({ products: [idOf(product)], customerId: idOf(customer) })
  const confirmation = { clientSecret, checkoutConfirmStripe: { confirmationTokenId: 'ctoken_ok' } }
  expect(await polar.checkouts.clientConfirm(confirmation)).toMatchObject({ id, status: 'confirmed' })
  return eventually(async () => {
    const [order] = await all(polar.orders.list({ checkoutId: id }))
    expect(order).toMatchObject({ status: 'paid' })
    return order?.id ?? ''
  })
}

// Each test uses objects created by the previous ones.
describe('the unmodified official client performs', () => {
  test('webhooks.createWebhookEndpoint, .getWebhookEndpoint, .listWebhookEndpoints and .updateWebhookEndpoint', async () => {
    const made = await polar.webhooks.createWebhookEndpoint({ url: sink.url, format: 'raw', secret: 'mine', events: ['order.paid'] })
    created['endpoint'] = made.id
    expect(await polar.webhooks.getWebhookEndpoint({ id: made.id })).toEqual(made)
    expect(await all(polar.webhooks.listWebhookEndpoints({}))).toEqual([made])
    const events = ['order.paid' as const, 'product.updated' as const]
    const changed = await polar.webhooks.updateWebhookEndpoint({ id: made.id, webhookEndpointUpdate: { events } })
    expect(changed).toMatchObject({ id: made.id, url: sink.url, events })
  })

  test('benefits.create, .get, .list and .update', async () => {
    const made = await polar.benefits.create({ type: 'custom', description: 'A call', properties: { note: 'Book it.' } })
    created['benefit'] = made.id
    expect(await polar.benefits.get({ id: made.id })).toEqual(made)
    expect(await all(polar.benefits.list({ query: 'CALL' }))).toEqual([made])
    const requestBody = { type: 'custom' as const, description: 'Two calls' }
    expect(await polar.benefits.update({ id: made.id, requestBody })).toMatchObject({ id: made.id, description: 'Two calls' })
  })

  test('products.create, .get, .update, .updateBenefits and .list', async () => {
    const prices = [{ amountType: 'fixed' as const, priceAmount: 4200 }]
    const made = await polar.products.create({ name: 'Almanac', recurringInterval: null, prices, metadata: { shelf: 3 } })
    created['product'] = made.id
    expect(await polar.products.get({ id: made.id })).toEqual(made)
    const productUpdate = { name: 'New almanac', description: 'All of it', prices: [{ amountType: 'fixed' as const, priceAmount: 4300 }] }
    const updated = await polar.products.update({ id: made.id, productUpdate })
    expect(updated).toMatchObject({ id: made.id, name: 'New almanac', description: 'All of it', prices: [{ priceAmount: 4300 }] })
    expect(updated.modifiedAt).toBeInstanceOf(Date)
    const given = await polar.products.updateBenefits({ id: made.id, productBenefitsUpdate: { benefits: [idOf('benefit')] } })
    expect(given.benefits).toMatchObject([{ id: idOf('benefit') }])
    expect(await all(polar.products.list({ metadata: { shelf: '3' }, sorting: ['name'] }))).toEqual([given])
    const plan = await polar.products.create({ name: 'Plan', recurringInterval: 'month', prices })
    created['plan'] = plan.id
  })

  test('discounts.create, .get, .list, .update and .delete', async () => {
    const made = await polar.discounts.create({ name: 'Launch', type: 'fixed', amount: 500, duration: 'once', code: 'LAUNCH' })
    const { id } = made
    expect(await polar.discounts.get({ id })).toEqual(made)
    expect(await all(polar.discounts.list({ query: 'laun', sorting: ['-name'] }))).toEqual([made])
    expect(await polar.discounts.update({ id, discountUpdate: { maxRedemptions: 7 } })).toMatchObject({ id, maxRedemptions: 7 })
    expect(await polar.discounts.delete({ id })).toBeUndefined()
    expect(await all(polar.discounts.list({}))).toEqual([])
  })

  test('customers.create, .get, .getExternal, .list, .update, .updateExternal, .getState, .getStateExternal', async () => {
    const externalId = 'Ada/1 ü'
    const made = await polar.customers.create({ email: 'ada@example.org', name: 'Ada', externalId })
    created['customer'] = made.id
    const { id } = made
    expect(await polar.customers.get({ id })).toEqual(made)
    expect(await polar.customers.getExternal({ externalId })).toEqual(made)
    expect(await all(polar.customers.list({ email: 'ada@example.org' }))).toEqual([made])
    expect(await polar.customers.update({ id, customerUpdate: { name: 'Ada L.' } })).toMatchObject({ id, name: 'Ada L.' })
    const update = { externalId, customerUpdateExternalID: { billingAddress: address } }
    expect(await polar.customers.updateExternal(update)).toMatchObject({ id, billingAddress: { city: 'London' } })
    const state = await polar.customers.getState({ id })
    expect(state).toMatchObject({ id, activeSubscriptions: [], grantedBenefits: [] })
    expect(await polar.customers.getStateExternal({ externalId })).toEqual(state)
  })

  test('checkouts.create, .get, .list, .update, .clientGet, .clientUpdate and .clientConfirm', async () => {
    const made = await polar.checkouts.create({ products: [idOf('product')], metadata: { cart: 1 } })
    const { id, clientSecret } = made
    expect(await polar.checkouts.get({ id })).toEqual(made)
    expect(await all(polar.checkouts.list({ productId: idOf('product'), status: 'open', sorting: ['-expires_at'] }))).toEqual([made])
    expect(await polar.checkouts.update({ id, checkoutUpdate: { metadata: { cart: 2 } } })).toMatchObject({ id, metadata: { cart: 2 } })
    expect(await polar.checkouts.clientGet({ clientSecret })).toMatchObject({ id, amount: 4300 })
    const checkoutUpdatePublic = { customerEmail: 'grace@example.org' }
    expect(await polar.checkouts.clientUpdate({ clientSecret, checkoutUpdatePublic })).toMatchObject({ customerEmail: 'grace@example.org' })
    created['order'] = await buy('product', 'customer')
  })

  test('checkoutLinks.create, .get, .list, .update and .delete', async () => {
    const made = await polar.checkoutLinks.create({ paymentProcessor: 'stripe', products: [idOf('product')], label: 'Spring' })
    const { id } = made
    expect(made).toMatchObject({ label: 'Spring', products: [{ id: idOf('product') }], discount: null })
    expect(await polar.checkoutLinks.get({ id })).toEqual(made)
    expect(await all(polar.checkoutLinks.list({ productId: idOf('product'), sorting: ['-label'] }))).toEqual([made])
    const { id: discountId } = await polar.discounts.create({ name: 'Spring', type: 'percentage', basisPoints: 500, duration: 'once' })
    const checkoutLinkUpdate = { discountId, allowDiscountCodes: false }
    const changed = await polar.checkoutLinks.update({ id, checkoutLinkUpdate })
    expect(changed).toMatchObject({ discountId, discount: { basisPoints: 500 }, allowDiscountCodes: false })
    expect(await polar.checkoutLinks.delete({ id })).toBeUndefined()
    await polar.discounts.delete({ id: discountId })
    const single = { paymentProcessor: 'stripe' as const, productId: idOf('product') }
    expect(await polar.checkoutLinks.create(single)).toMatchObject({ products: [{ id: idOf('product') }] })
  })

  test('orders.list, .get, .update, .generateInvoice and .invoice', async () => {
    const id = idOf('order')
    const [listed] = await all(polar.orders.list({ productBillingType: 'one_time', customerId: idOf('customer'), sorting: ['-amount'] }))
    expect(await polar.orders.get({ id })).toEqual(listed)
    const orderUpdate = { billingName: 'Ada Lovelace', billingAddress: address }
    expect(await polar.orders.update({ id, orderUpdate })).toMatchObject({ id, billingName: 'Ada Lovelace' })
    await polar.orders.generateInvoice({ id })
    const { url } = await eventually(() => polar.orders.invoice({ id }))
    expect((await fetch(url)).headers.get('content-type')).toBe('application/pdf')
  })

  test('refunds.create and .list', async () => {
    const made = await polar.refunds.create({ orderId: idOf('order'), reason: 'duplicate', amount: 100, comment: 'Twice.' })
    expect(made).toMatchObject({ orderId: idOf('order'), amount: 100, reason: 'duplicate', status: 'succeeded' })
    expect(await all(polar.refunds.list({ customerId: idOf('customer') }))).toEqual([made])
  })

  test('payments.list and .get, metrics.limits', async () => {
    const payments = await all(polar.payments.list({ orderId: idOf('order') }))
    expect(payments).toMatchObject([{ orderId: idOf('order'), status: 'succeeded', method: 'card', processor: 'stripe' }])
    expect(await polar.payments.get({ id: payments[0]?.id ?? '' })).toEqual(payments[0])
    expect(await polar.metrics.limits()).toMatchObject({ intervals: { hour: { maxDays: 7 } } })
  })

  test('benefits.grants, customerSessions.create and customerPortal.benefitGrants.list and .get', async () => {
    const grants = await eventually(async () => {
      const found = await all(polar.benefits.grants({ id: idOf('benefit'), isGranted: true }))
      expect(found).toMatchObject([{ customerId: idOf('customer'), orderId: idOf('order') }])
      return found
    })
    const session = await polar.customerSessions.create({ customerId: idOf('customer') })
    created['session'] = session.token
    expect(session).toMatchObject({ customerId: idOf('customer'), customer: { email: 'ada@example.org' } })
    const me = { customerSession: session.token }
    const mine = await all(portal.benefitGrants.list(me, {}))
    expect(mine).toMatchObject([{ id: grants[0]?.id, benefit: { description: 'Two calls' } }])
    expect(await portal.benefitGrants.get(me, { id: grants[0]?.id ?? '' })).toEqual(mine[0])
  })

  test('customerPortal.organizations.get, .customers.get and .customers.update', async () => {
    const me = { customerSession: idOf('session') }
    const { slug } = system.demo.organization
    const { organization, products } = await portal.organizations.get({ slug })
    expect(organization).toMatchObject({ slug })
    expect(products.map(({ id }) => id)).toContain(idOf('product'))
    expect(await portal.customers.get(me)).toMatchObject({ id: idOf('customer'), email: 'ada@example.org' })
    expect(await portal.customers.update(me, { name: 'Ada King' })).toMatchObject({ id: idOf('customer'), name: 'Ada King' })
  })

  test('customerPortal.orders.list, .get, .update, .generateInvoice and .invoice', async () => {
    const me = { customerSession: idOf('session') }
    const id = await buy('product', 'customer')
    const orders = await all(portal.orders.list(me, { sorting: ['-created_at'] }))
    expect(orders.map((order) => order.id)).toEqual([id, idOf('order')])
    expect(await portal.orders.get(me, { id })).toEqual(orders[0])
    const customerOrderUpdate = { billingName: 'Ada King', billingAddress: address }
    expect(await portal.orders.update(me, { id, customerOrderUpdate })).toMatchObject({ id, billingName: 'Ada King' })
    await portal.orders.generateInvoice(me, { id })
    const { url } = await eventually(() => portal.orders.invoice(me, { id }))
    expect((await fetch(url)).status).toBe(200)
  })

  test('subscriptions.list, .get, .update, .export and .revoke, customerPortal.subscriptions.list, .get, .update and .cancel', async () => {
    const me = { customerSession: idOf('session') }
    await buy('plan', 'customer')
    const [subscription] = await eventually(async () => {
      const found = await all(polar.subscriptions.list({ customerId: idOf('customer'), active: true }))
      expect(found).toHaveLength(1)
      return found
    })
    const id = subscription?.id ?? ''
    expect(await polar.subscriptions.get({ id })).toEqual(subscription)
    const [mine] = await all(portal.subscriptions.list(me, { active: true }))
    expect(await portal.subscriptions.get(me, { id })).toEqual(mine)
    expect(await portal.subscriptions.cancel(me, { id })).toMatchObject({ id, cancelAtPeriodEnd: true })
    const customerSubscriptionUpdate = { cancelAtPeriodEnd: false }
    expect(await portal.subscriptions.update(me, { id, customerSubscriptionUpdate })).toMatchObject({ id, cancelAtPeriodEnd: false })
    const subscriptionUpdate = { cancelAtPeriodEnd: true }
    expect(await polar.subscriptions.update({ id, subscriptionUpdate })).toMatchObject({ id, cancelAtPeriodEnd: true })
    expect(await polar.subscriptions.export({})).toContain('ada@example.org')
    expect(await polar.subscriptions.revoke({ id })).toMatchObject({ id, status: 'canceled' })
  })

  test('customerPortal.customers.getPaymentMethods, .deletePaymentMethod and .addPaymentMethod', async () => {
    const me = { customerSession: idOf('session') }
    const [method, ...others] = await all(portal.customers.getPaymentMethods(me, {}))
    expect([method, others]).toMatchObject([{ type: 'card', default: true, createdAt: expect.any(Date) }, []])
    expect(await portal.customers.deletePaymentMethod(me, { id: method?.id ?? '' })).toBeUndefined()
    expect(await all(portal.customers.getPaymentMethods(me, {}))).toEqual([])
    const given = { confirmationTokenId: 'ctoken_ok', setDefault: false, returnUrl: 'https://shop.example.com/account' }
    const added = await portal.customers.addPaymentMethod(me, given)
    expect(await all(portal.customers.getPaymentMethods(me, {}))).toEqual([added])
  })

  test('webhooks.listWebhookDeliveries, .redeliverWebhookEvent and .deleteWebhookEndpoint', async () => {
    const deliveries = await eventually(async () => {
      const found = await all(polar.webhooks.listWebhookDeliveries({ endpointId: idOf('endpoint') }))
      expect(found.map(({ succeeded }) => succeeded)).toContain(true)
      return found
    })
    const event = deliveries.at(-1)?.webhookEvent
    const postsOf = () => sink.received.filter(({ headers }) => headers['webhook-id'] === event?.id)
    expect(postsOf()).toHaveLength(1)
    await polar.webhooks.redeliverWebhookEvent({ id: event?.id ?? '' })
    await eventually(() => expect(postsOf().map(({ body }) => body)).toEqual([event?.payload, event?.payload]))
    expect(await polar.webhooks.deleteWebhookEndpoint({ id: idOf('endpoint') })).toBeUndefined()
    expect(await all(polar.webhooks.listWebhookEndpoints({}))).toEqual([])
  })

  test('events.ingest, .list, .listNames and .get', async () => {
    const customerId = idOf('customer')
    const at = new Date(Date.now() - 1_000)
    const events = [
      { name: 'pages.printed', customerId, timestamp: at, metadata: { pages: 12, cost: 0.25, color: true, printer: 'attic' } },
      { name: 'pages.read', externalCustomerId: 'a-later-customer' },
    ]
    const headers = { 'Idempotency-Key': randomUUID() }
    expect(await polar.events.ingest({ events }, { headers })).toEqual({ inserted: 2 })
    expect(await polar.events.ingest({ events }, { headers })).toEqual({ inserted: 2 })
    const [printed, ...others] = await all(polar.events.list({ customerId }))
    expect(others).toEqual([])
    expect(printed).toMatchObject({ name: 'pages.printed', timestamp: at, customer: { id: customerId }, metadata: events[0]?.metadata })
    expect(await polar.events.get({ id: printed?.id ?? '' })).toEqual(printed)
    expect(await all(polar.events.list({ metadata: { printer: 'attic' }, sorting: ['timestamp'] }))).toEqual([printed])
    const [read] = await all(polar.events.list({ externalCustomerId: 'a-later-customer' }))
    expect(read).toMatchObject({ name: 'pages.read', customerId: null, customer: null })
    const names = await all(polar.events.listNames({ query: 'PAGES', sorting: ['name'] }))
    expect(names).toMatchObject(['pages.printed', 'pages.read'].map((name) => ({ name, source: 'user', occurrences: 1 })))
  })

  test('benefits.delete, customers.delete and .deleteExternal', async () => {
    expect(await polar.benefits.delete({ id: idOf('benefit') })).toBeUndefined()
    expect(await polar.customers.delete({ id: idOf('customer') })).toBeUndefined()
    const externalId = randomUUID()
    await polar.customers.create({ email: 'mary@example.org', externalId })
    expect(await polar.customers.deleteExternal({ externalId })).toBeUndefined()
    expect(await all(polar.customers.list({ query: 'example.org' }))).toEqual([])
  })

  test('every other operation it has a method for; OAuth and license keys have separate files', () => {
    const sales = client.known.map(({ id }) => id).filter((id) => !elsewhere.test(id))
    expect(sales.length).toBeGreaterThan(60)
    expect(sales.filter((id) => !client.done.has(id))).toEqual([])
  })
})
