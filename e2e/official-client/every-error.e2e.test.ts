import { randomUUID } from 'node:crypto'
import type { Polar } from '@polar-sh/sdk'
import type { CustomerPortal } from '@polar-sh/sdk/sdk/customerportal.js'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import type { RunningSystem } from '@quittance/testing/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { recordingClient, type RecordingClient } from './recording-client.ts'

/** Operations that other files of this folder cover. */
const elsewhere = /^auth\.|license-key/

let system: RunningSystem
let client: RecordingClient
let polar: Polar
let portal: CustomerPortal
let refuses: RecordingClient['refuses']
let me: { customerSession: string }
let customerId: string

beforeAll(async () => {
  system = await useSharedSystem()
  client = await recordingClient({ accessToken: system.demo.organization_access_token, serverURL: system.readReadyFile().base_url })
  polar = client.polar
  portal = polar.customerPortal
  refuses = client.refuses
  customerId = (await polar.customers.create({ email: 'ada@example.org', externalId: 'ada' })).id
  me = { customerSession: (await polar.customerSessions.create({ customerId })).token }
})

type Call = (id: string) => Promise<unknown>

const benefit = { type: 'custom' as const, description: 'A call' }
const details = { billingName: null, billingAddress: null }
const confirmation = { confirmationTokenId: 'ctoken_ok', customerEmail: 'grace@example.org' }

/** Methods that address one object by id. */
const byId = (): Call[] => [
  (id) => polar.products.get({ id }),
  (id) => polar.products.update({ id, productUpdate: {} }),
  (id) => polar.products.updateBenefits({ id, productBenefitsUpdate: { benefits: [] } }),
  (id) => polar.benefits.get({ id }),
  (id) => polar.benefits.update({ id, requestBody: benefit }),
  (id) => polar.benefits.delete({ id }),
  (id) => polar.benefits.grants({ id }),
  (id) => polar.discounts.get({ id }),
  (id) => polar.discounts.update({ id, discountUpdate: {} }),
  (id) => polar.discounts.delete({ id }),
  (id) => polar.customers.get({ id }),
  (id) => polar.customers.update({ id, customerUpdate: {} }),
  (id) => polar.customers.delete({ id }),
  (id) => polar.customers.getState({ id }),
  (id) => polar.checkouts.get({ id }),
  (id) => polar.checkouts.update({ id, checkoutUpdate: {} }),
  (id) => polar.checkoutLinks.get({ id }),
  (id) => polar.checkoutLinks.update({ id, checkoutLinkUpdate: {} }),
  (id) => polar.checkoutLinks.delete({ id }),
  (id) => polar.orders.get({ id }),
  (id) => polar.orders.update({ id, orderUpdate: details }),
  (id) => polar.orders.invoice({ id }),
  (id) => polar.payments.get({ id }),
  (id) => polar.events.get({ id }),
  (id) => polar.subscriptions.get({ id }),
  (id) => polar.subscriptions.update({ id, subscriptionUpdate: { cancelAtPeriodEnd: true } }),
  (id) => polar.subscriptions.revoke({ id }),
  (id) => polar.webhooks.getWebhookEndpoint({ id }),
  (id) => polar.webhooks.updateWebhookEndpoint({ id, webhookEndpointUpdate: {} }),
  (id) => polar.webhooks.deleteWebhookEndpoint({ id }),
  (id) => polar.webhooks.redeliverWebhookEvent({ id }),
  (id) => portal.benefitGrants.get(me, { id }),
  (id) => portal.customers.deletePaymentMethod(me, { id }),
  (id) => portal.orders.get(me, { id }),
  (id) => portal.orders.update(me, { id, customerOrderUpdate: details }),
  (id) => portal.orders.invoice(me, { id }),
  (id) => portal.subscriptions.get(me, { id }),
  (id) => portal.subscriptions.update(me, { id, customerSubscriptionUpdate: { cancelAtPeriodEnd: true } }),
  (id) => portal.subscriptions.cancel(me, { id }),
]

/** Methods that address one object by a name of up to 200 characters. */
const byName = (): Call[] => [
  (externalId) => polar.customers.getExternal({ externalId }),
  (externalId) => polar.customers.updateExternal({ externalId, customerUpdateExternalID: {} }),
  (externalId) => polar.customers.deleteExternal({ externalId }),
  (externalId) => polar.customers.getStateExternal({ externalId }),
  (clientSecret) => polar.checkouts.clientGet({ clientSecret }),
  (clientSecret) => polar.checkouts.clientUpdate({ clientSecret, checkoutUpdatePublic: {} }),
  (clientSecret) => polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: confirmation }),
  (slug) => portal.organizations.get({ slug }),
]

/** Lists with an invalid page, and creations with missing or invalid fields. */
const malformed = (): (() => Promise<unknown>)[] => [
  ...[
    polar.products,
    polar.benefits,
    polar.discounts,
    polar.customers,
    polar.checkouts,
    polar.checkoutLinks,
    polar.orders,
    polar.refunds,
  ].map((resource) => () => resource.list({ page: 0 })),
  () => polar.payments.list({ page: 0 }),
  () => polar.events.list({ meterId: randomUUID() }),
  () => polar.events.listNames({ page: 0 }),
  () => polar.events.ingest({ events: [{ name: '', externalCustomerId: 'ada' }] }),
  () => polar.subscriptions.list({ page: 0 }),
  () => polar.subscriptions.export({ organizationId: 'none' }),
  () => polar.webhooks.listWebhookEndpoints({ page: 0 }),
  () => polar.webhooks.listWebhookDeliveries({ limit: 0 }),
  () => portal.benefitGrants.list(me, { page: 0 }),
  () => portal.customers.getPaymentMethods(me, { page: 0 }),
  () => portal.customers.addPaymentMethod(me, { confirmationTokenId: '', setDefault: false, returnUrl: 'no address' }),
  () => portal.orders.list(me, { page: 0 }),
  () => portal.subscriptions.list(me, { page: 0 }),
  () => portal.customers.update(me, { email: 'no address' }),
  () => polar.products.create({ name: 'Pro plan', recurringInterval: null, prices: [] }),
  () => polar.benefits.create({ ...benefit, description: 'no', properties: { note: null } }),
  () => polar.discounts.create({ name: 'All', type: 'percentage', basisPoints: 10_001, duration: 'once' }),
  () => polar.customers.create({ email: 'no address' }),
  () => polar.customerSessions.create({ customerId: randomUUID() }),
  () => polar.checkouts.create({ products: [] }),
  () => polar.checkoutLinks.create({ paymentProcessor: 'stripe', products: [randomUUID()] }),
  () => polar.refunds.create({ orderId: randomUUID(), reason: 'other', amount: 1 }),
  () => polar.webhooks.createWebhookEndpoint({ url: 'no address', format: 'raw', secret: 'mine', events: ['order.paid'] }),
]

/** Sells the demo product or another one, up to the confirmation. */
async function buy(confirmationTokenId: string, productId = system.demo.product_id) {
  const { id, clientSecret } = await polar.checkouts.create({ products: [productId], customerId })
  await polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: { confirmationTokenId } })
  const [order] = (await polar.orders.list({ checkoutId: id })).result.items
  return { orderId: order?.id ?? '', checkoutId: id, clientSecret }
}

async function untilPaid(orderId: string): Promise<void> {
  await eventually(async () => expect((await polar.orders.get({ id: orderId })).paid).toBe(true))
}

describe('the unmodified official client throws its own class for', () => {
  test('an unknown object', async () => {
    for (const call of byId()) await refuses('ResourceNotFound', () => call(randomUUID()))
    for (const call of byName()) await refuses('ResourceNotFound', () => call('nobody'))
  })

  test('invalid input', async () => {
    for (const call of byId()) await refuses('HTTPValidationError', () => call('no-uuid'))
    for (const call of byName()) await refuses('HTTPValidationError', () => call('x'.repeat(201)))
    for (const call of malformed()) await refuses('HTTPValidationError', call)
  })

  test('an invoice that cannot be generated, yet or again, for seller and buyer', async () => {
    const { orderId: pending } = await buy('ctoken_pending')
    await refuses('NotPaidOrder', () => polar.orders.generateInvoice({ id: pending }))
    await refuses('NotPaidOrder', () => portal.orders.generateInvoice(me, { id: pending }))
    const { orderId: id } = await buy('ctoken_ok')
    await untilPaid(id)
    await refuses('MissingInvoiceBillingDetails', () => polar.orders.generateInvoice({ id }))
    await refuses('MissingInvoiceBillingDetails', () => portal.orders.generateInvoice(me, { id }))
    await polar.orders.update({ id, orderUpdate: { billingName: 'Ada', billingAddress: { country: 'GB' } } })
    await refuses('MissingInvoiceBillingDetails', () => polar.orders.generateInvoice({ id }))
    await polar.orders.update({ id, orderUpdate: { billingName: 'Ada', billingAddress: { country: 'HK' } } })
    await polar.orders.generateInvoice({ id })
    await eventually(async () => expect(await polar.orders.get({ id })).toMatchObject({ isInvoiceGenerated: true }))
    await refuses('InvoiceAlreadyExists', () => polar.orders.generateInvoice({ id }))
    await refuses('InvoiceAlreadyExists', () => portal.orders.generateInvoice(me, { id }))
  })

  test('a refund of more than the remaining amount, and any refund after a full one', async () => {
    const { orderId } = await buy('ctoken_ok')
    await untilPaid(orderId)
    const { netAmount } = await polar.orders.get({ id: orderId })
    const refund = (amount: number) => polar.refunds.create({ orderId, reason: 'other', amount })
    await refuses('RefundAmountTooHigh', () => refund(netAmount + 1))
    await refund(netAmount)
    await refuses('RefundedAlready', () => refund(1))
  })

  test('a checkout that has a declined payment, is no longer open or has expired', async () => {
    const open = await polar.checkouts.create({ products: [system.demo.product_id] })
    const declined = { ...confirmation, confirmationTokenId: 'ctoken_declined' }
    const confirm = (clientSecret: string, checkoutConfirmStripe: typeof confirmation) =>
      polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe })
    await refuses('PaymentError', () => confirm(open.clientSecret, declined))
    const { checkoutId: id, clientSecret } = await buy('ctoken_pending')
    await refuses('NotOpenCheckout', () => confirm(clientSecret, confirmation))
    await refuses('NotOpenCheckout', () => polar.checkouts.clientUpdate({ clientSecret, checkoutUpdatePublic: {} }))
    await refuses('NotOpenCheckout', () => polar.checkouts.update({ id, checkoutUpdate: {} }))
    await system.rows('orders', 'update checkouts set expires_at = now() where id = $1', [open.id])
    await refuses('ExpiredCheckoutError', () => polar.checkouts.clientGet(open))
    await refuses('ExpiredCheckoutError', () => confirm(open.clientSecret, confirmation))
    await refuses('ExpiredCheckoutError', () => polar.checkouts.clientUpdate({ ...open, checkoutUpdatePublic: {} }))
    // Ten declines end a checkout.
    const tested = await polar.checkouts.create({ products: [system.demo.product_id], customerIpAddress: '203.0.113.3' })
    const noFunds = { ...confirmation, confirmationTokenId: 'ctoken_insufficient_funds' }
    for (let count = 0; count < 10; count++) await refuses('PaymentError', () => confirm(tested.clientSecret, noFunds))
    await refuses('ExpiredCheckoutError', () => confirm(tested.clientSecret, confirmation))
    expect(await polar.checkouts.clientGet(tested)).toMatchObject({ status: 'failed' })
  })

  test('a second subscription, and one that is already canceled', async () => {
    const prices = [{ amountType: 'fixed' as const, priceAmount: 900 }]
    const plan = await polar.products.create({ name: 'Plan', recurringInterval: 'month', prices })
    const { orderId } = await buy('ctoken_ok', plan.id)
    await untilPaid(orderId)
    await refuses('AlreadyActiveSubscriptionError', () => buy('ctoken_ok', plan.id))
    const [subscription] = (await polar.subscriptions.list({ customerId, active: true })).result.items
    const id = subscription?.id ?? ''
    await polar.subscriptions.update({ id, subscriptionUpdate: { cancelAtPeriodEnd: true } })
    const again = { cancelAtPeriodEnd: true }
    await refuses('AlreadyCanceledSubscription', () => polar.subscriptions.update({ id, subscriptionUpdate: again }))
    await refuses('AlreadyCanceledSubscription', () => portal.subscriptions.update(me, { id, customerSubscriptionUpdate: again }))
    await refuses('AlreadyCanceledSubscription', () => portal.subscriptions.cancel(me, { id }))
    await polar.subscriptions.revoke({ id })
    await refuses('AlreadyCanceledSubscription', () => polar.subscriptions.revoke({ id }))
  })

  test('benefits that only the operator can add or remove', async () => {
    const { id } = await polar.benefits.create({ ...benefit, properties: { note: null } })
    await system.rows('orders', 'update benefits set selectable = false, deletable = false where id = $1', [id])
    await refuses('NotPermitted', () => polar.benefits.delete({ id }))
    const productBenefitsUpdate = { benefits: [id] }
    await refuses('NotPermitted', () => polar.products.updateBenefits({ id: system.demo.product_id, productBenefitsUpdate }))
  })

  test('an organization to which the token has no access', async () => {
    const headers = { 'Polar-Organization': crypto.randomUUID() }
    const update = { id: system.demo.product_id, productUpdate: { name: 'Taken over' } }
    await refuses('NotPermitted', () => polar.products.update(update, { headers }))
  })

  test('every other listed error, except of OAuth and license keys, which have separate files', () => {
    const listed = client.known.filter(({ id }) => !elsewhere.test(id)).flatMap(({ id, errors }) => errors.map((name) => `${id} ${name}`))
    expect(listed.length).toBeGreaterThan(100)
    expect(listed.filter((pair) => !client.thrown.has(pair))).toEqual([])
  })
})
