import { randomUUID } from 'node:crypto'
import { Polar } from '@polar-sh/sdk'
import type { CustomerPortal } from '@polar-sh/sdk/sdk/customerportal.js'
import { HTTPValidationError } from '@polar-sh/sdk/models/errors/httpvalidationerror.js'
import { InvoiceAlreadyExists } from '@polar-sh/sdk/models/errors/invoicealreadyexists.js'
import { MissingInvoiceBillingDetails } from '@polar-sh/sdk/models/errors/missinginvoicebillingdetails.js'
import { NotPaidOrder } from '@polar-sh/sdk/models/errors/notpaidorder.js'
import { ResourceNotFound } from '@polar-sh/sdk/models/errors/resourcenotfound.js'
import { SDKError } from '@polar-sh/sdk/models/errors/sdkerror.js'
import { validateEvent } from '@polar-sh/sdk/webhooks'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { beforeAll, expect, test } from 'vitest'
import { waitUntilRejected } from '@quittance/testing/wait-until-rejected'

let system: RunningSystem
let polar: Polar
let portal: CustomerPortal

beforeAll(async () => {
  system = await useSharedSystem()
  polar = new Polar({ accessToken: system.demo.organization_access_token, serverURL: system.readReadyFile().base_url })
  portal = polar.customerPortal
})

/** Creates a new customer with one order and a customer session. */
async function aBuyer(confirmationTokenId = 'ctoken_ok') {
  const customer = await polar.customers.create({ email: `${randomUUID()}@example.com`, externalId: randomUUID() })
  const { clientSecret, id: checkoutId } = await polar.checkouts.create({ products: [system.demo.product_id], customerId: customer.id })
  await polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: { confirmationTokenId } })
  const { result } = await polar.orders.list({ checkoutId })
  const orderId = result.items[0]?.id ?? ''
  const status = confirmationTokenId === 'ctoken_ok' ? 'paid' : 'pending'
  await eventually(async () => expect(await polar.orders.get({ id: orderId })).toMatchObject({ status }))
  const session = await polar.customerSessions.create({ customerId: customer.id })
  return { customer, orderId, session, me: { customerSession: session.token } }
}

const raw = (method: string, path: string, { token, body }: { token: string; body?: unknown }) =>
  callApi(`${system.readReadyFile().base_url}${path}`, { method, token, body })

test('the unmodified client reads, updates and invoices a customer’s orders in the portal', async () => {
  const { orderId: id, customer, session, me } = await aBuyer()
  expect(session).toMatchObject({ customerId: customer.id, customer: { email: customer.email } })
  expect(session.customerPortalUrl).toContain(`/${system.demo.organization.slug}/portal?customer_session_token=${session.token}`)
  const orders = []
  for await (const page of await portal.orders.list(me, { query: 'READING', sorting: ['-created_at'] })) orders.push(...page.result.items)
  expect(orders).toMatchObject([{ id, status: 'paid', product: { organization: { slug: system.demo.organization.slug } } }])
  expect(await portal.orders.get(me, { id })).toEqual(orders[0])

  await expect(portal.orders.invoice(me, { id })).rejects.toBeInstanceOf(ResourceNotFound)
  const nothing = { billingName: null, billingAddress: null }
  expect(await portal.orders.update(me, { id, customerOrderUpdate: nothing })).toMatchObject(nothing)
  await expect(portal.orders.generateInvoice(me, { id })).rejects.toBeInstanceOf(MissingInvoiceBillingDetails)
  const details = { billingName: 'Grace Hopper', billingAddress: { country: 'US', state: 'NY', city: 'Brooklyn', postalCode: '11205' } }
  const updated = await portal.orders.update(me, { id, customerOrderUpdate: details })
  expect(updated).toMatchObject({ billingName: 'Grace Hopper', billingAddress: { state: 'US-NY' } })
  await portal.orders.generateInvoice(me, { id })
  const { url } = await eventually(() => portal.orders.invoice(me, { id }))
  const pdf = await (await fetch(url)).bytes()
  expect(Buffer.from(pdf.subarray(0, 5)).toString()).toBe('%PDF-')
  await eventually(() => expect(portal.orders.generateInvoice(me, { id })).rejects.toBeInstanceOf(InvoiceAlreadyExists))
  const renamed = { ...details, billingName: 'Somebody else' }
  await expect(portal.orders.update(me, { id, customerOrderUpdate: renamed })).rejects.toBeInstanceOf(HTTPValidationError)
  expect(await polar.orders.get({ id })).toMatchObject({ isInvoiceGenerated: true, billingName: 'Grace Hopper' })
})

test('typed errors of the portal: an unpaid order, an order of another customer', async () => {
  const pending = await aBuyer('ctoken_pending')
  await expect(portal.orders.generateInvoice(pending.me, { id: pending.orderId })).rejects.toBeInstanceOf(NotPaidOrder)
  const { me } = await aBuyer()
  await expect(portal.orders.get(me, { id: pending.orderId })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(portal.orders.invoice(me, { id: pending.orderId })).rejects.toBeInstanceOf(ResourceNotFound)
  const customerOrderUpdate = { billingName: 'Mine now', billingAddress: null }
  await expect(portal.orders.update(me, { id: pending.orderId, customerOrderUpdate })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(portal.orders.generateInvoice(me, { id: pending.orderId })).rejects.toMatchObject({ statusCode: 404 })
})

test('customers read and change their own data; the seller and its products are public', async () => {
  const { customer, me } = await aBuyer()
  expect(await portal.customers.get(me)).toMatchObject({ id: customer.id, email: customer.email, oauthAccounts: {} })
  const address = { country: 'PL', city: 'Warszawa' }
  const changed = await portal.customers.update(me, { name: 'Zofia', billingAddress: address, taxId: '5260001246' })
  expect(changed).toMatchObject({ name: 'Zofia', taxId: ['PL5260001246', 'eu_vat'], billingAddress: { country: 'PL' } })
  const another = await polar.customers.create({ email: `${randomUUID()}@example.com` })
  // The reply is the same whether a code is mailed or another customer has the address; neither changes it at once.
  for (const email of [another.email, `${randomUUID()}@example.com`])
    expect(await portal.customers.update(me, { email })).toMatchObject({ email: customer.email })
  await expect(portal.customers.update(me, { taxId: 'DE123456789' })).rejects.toBeInstanceOf(HTTPValidationError)
  const shop = await portal.organizations.get({ slug: system.demo.organization.slug })
  expect(shop.organization).toMatchObject({ id: system.demo.organization.id })
  expect(shop.products.map(({ id }) => id)).toContain(system.demo.product_id)
  await expect(portal.organizations.get({ slug: 'nobody-at-all' })).rejects.toBeInstanceOf(ResourceNotFound)
})

test('reads, changes, deletes customers by external id with events; deletion ends the session', async () => {
  await using sink = await startEndpointSink()
  const secret = 'a secret of my own'
  const events = ['customer.created', 'customer.updated', 'customer.deleted'] as const
  const endpoint = await polar.webhooks.createWebhookEndpoint({ url: sink.url, format: 'raw', secret, events: [...events] })
  const { customer, orderId, me } = await aBuyer()
  const externalId = customer.externalId ?? ''
  expect(await polar.customers.getExternal({ externalId })).toMatchObject({ id: customer.id })
  const customerUpdateExternalID = { name: 'Ada', metadata: { tier: 2 } }
  expect(await polar.customers.updateExternal({ externalId, customerUpdateExternalID })).toMatchObject({ name: 'Ada' })
  const listed = await polar.customers.list({ metadata: { tier: '2' }, query: customer.email })
  expect(listed.result.items.map(({ id }) => id)).toEqual([customer.id])
  const sessionByOwnId = await polar.customerSessions.create({ externalCustomerId: externalId })
  expect(await portal.customers.get({ customerSession: sessionByOwnId.token })).toMatchObject({ id: customer.id })

  await polar.customers.deleteExternal({ externalId })
  await expect(polar.customers.getExternal({ externalId })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.customers.updateExternal({ externalId, customerUpdateExternalID })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.customers.deleteExternal({ externalId })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.customers.delete({ id: customer.id })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.customerSessions.create({ customerId: customer.id })).rejects.toBeInstanceOf(HTTPValidationError)
  const path = `/v1/customer-portal/orders/${orderId}`
  await waitUntilRejected(1_000, () => raw('GET', path, { token: me.customerSession }))
  await expect(portal.orders.get(me, { id: orderId })).rejects.toMatchObject({ statusCode: 401 })
  const kept = (await polar.orders.get({ id: orderId })).customer
  expect(kept).toMatchObject({ id: customer.id, externalId: null, metadata: { __external_id: externalId }, deletedAt: expect.any(Date) })
  // Events of other customers may be published after the endpoint is registered.
  const told = () =>
    sink.received
      .map(({ body, headers }) => validateEvent(body, headers as Record<string, string>, secret))
      .filter(({ data }) => data.id === customer.id)
  await eventually(() => expect(told().map(({ type }) => type)).toEqual(events))

  const again = await polar.customers.create({ email: customer.email, externalId })
  await polar.customers.delete({ id: again.id })
  await polar.webhooks.deleteWebhookEndpoint({ id: endpoint.id })
})

test('the portal accepts only customer sessions, and a session is rejected everywhere else', async () => {
  const { me } = await aBuyer()
  const organizationToken = { customerSession: system.demo.organization_access_token }
  await expect(portal.orders.list(organizationToken, {})).rejects.toBeInstanceOf(SDKError)
  const wrongSubject = { status: 401, body: { error: 'invalid_token', error_description: expect.stringContaining('The subject') } }
  for (const token of [system.demo.organization_access_token, system.demo.personal_access_token]) {
    expect(await raw('GET', '/v1/customer-portal/customers/me', { token })).toMatchObject(wrongSubject)
  }
  expect(await raw('GET', '/v1/orders/', { token: me.customerSession })).toMatchObject(wrongSubject)
  expect(await raw('GET', '/v1/customer-portal/orders/', { token: 'qt_cst_unknown' })).toMatchObject({ status: 401 })
})

test('outside the client: deprecated names of orders and sessions, location of a rejected id', async () => {
  const { orderId, customer, me } = await aBuyer()
  const token = system.demo.organization_access_token
  const { body: order } = await raw('GET', `/v1/customer-portal/orders/${orderId}`, { token: me.customerSession })
  expect(order.product_price).toMatchObject({ id: order.product_price_id, amount_type: 'fixed' })
  expect(order).toMatchObject({ amount: order.net_amount, user_id: customer.id, subscription: null })
  for (const kept of ['metadata', 'custom_field_data', 'customer', 'discount']) expect(order).not.toHaveProperty(kept)
  const session = await raw('POST', '/v1/customer-sessions/', { token, body: { customer_external_id: customer.externalId } })
  expect(session).toMatchObject({
    status: 201,
    body: {
      external_customer_id: customer.externalId,
      customer_external_id: customer.externalId,
      token: expect.stringMatching(/^qt_cst_/),
    },
  })
  expect(session.headers.get('cache-control')).toBe('no-store')
  const unknown = await raw('POST', '/v1/customer-sessions/', { token, body: { external_customer_id: 'nobody' } })
  expect(unknown).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'external_customer_id'], type: 'value_error' }] } })
  const unnamed = await raw('POST', '/v1/customer-sessions/', { token, body: {} })
  expect(unnamed).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'customer_id'], type: 'missing' }] } })
  const stranger = system.demo.second_organization.organization_access_token
  expect(await raw('POST', '/v1/customer-sessions/', { token: stranger, body: { customer_id: customer.id } })).toMatchObject({
    status: 422,
  })
})

test('the client lists payments and methods, adds and deletes a method, confirms, refunds [payments 75]', async () => {
  const { orderId, me } = await aBuyer()
  const { result: payments } = await polar.payments.list({ orderId })
  expect(payments.items).toMatchObject([{ orderId, status: 'succeeded', processor: 'stripe' }])
  expect(await polar.payments.get({ id: payments.items[0]?.id ?? '' })).toEqual(payments.items[0])
  expect(await polar.refunds.create({ orderId, reason: 'other', amount: 100 })).toMatchObject({ orderId, status: 'succeeded' })

  const methods = async () => (await portal.customers.getPaymentMethods(me, {})).result.items
  expect(await methods()).toEqual([])
  const given = { setDefault: true, returnUrl: 'https://shop.example.com/account' }
  const added = await portal.customers.addPaymentMethod(me, { confirmationTokenId: 'ctoken_ok', ...given })
  expect(added).toMatchObject({ type: 'card', default: true })
  expect(await methods()).toEqual([added])
  for (const confirmationTokenId of ['ctoken_expired', 'ctoken_unknown'])
    await expect(portal.customers.addPaymentMethod(me, { confirmationTokenId, ...given })).rejects.toMatchObject({ statusCode: 400 })
  await expect(portal.customers.addPaymentMethod(me, { confirmationTokenId: '', ...given })).rejects.toBeInstanceOf(HTTPValidationError)
  expect(await portal.customers.deletePaymentMethod(me, { id: added.id })).toBeUndefined()
  expect(await methods()).toEqual([])
})

test('a method that the buyer must confirm is a 400 with the secret of the form, and is not stored before', async () => {
  const { session, me } = await aBuyer()
  const path = '/v1/customer-portal/customers/me/payment-methods'
  const added = await raw('POST', path, { token: session.token, body: { confirmation_token_id: 'ctoken_action' } })
  const expected = { error: 'PaymentMethodActionRequired', setup_id: expect.any(String), client_secret: expect.any(String) }
  expect(added).toMatchObject({ status: 400, body: expected })
  const { setup_id } = added.body as { setup_id: string }
  expect(await raw('POST', `${path}/confirm`, { token: session.token, body: { setup_id } })).toMatchObject({ status: 400, body: expected })
  expect((await portal.customers.getPaymentMethods(me, {})).result.items).toEqual([])
})
