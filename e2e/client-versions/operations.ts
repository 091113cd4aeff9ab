import type { World } from './world.ts'

/** Calls one operation; rejects if the client does not accept the reply. */
// oxlint-disable-next-line typescript/no-explicit-any -- one table for ten versions with ten sets of types
export type Operation = (polar: any, world: World) => Promise<unknown>

/** A call of each operation that a version below 1 may have, with arguments that every version takes. */
export const operations: Record<string, Operation> = {
  'benefits.create': (polar) => polar.benefits.create({ type: 'custom', description: 'A call', properties: { note: 'Book it.' } }),
  'benefits.delete': async (polar, world) => polar.benefits.delete({ id: (await world.fresh('benefit'))['id'] }),
  'benefits.get': (polar, { benefit }) => polar.benefits.get({ id: benefit }),
  'benefits.grants': (polar, { benefit }) => first(polar.benefits.grants({ id: benefit })),
  'benefits.list': (polar) => first(polar.benefits.list({})),
  'benefits.update': (polar, { benefit }) => polar.benefits.update({ id: benefit, requestBody: { type: 'custom', description: 'Calls' } }),
  'checkouts.clientConfirm': async (polar, world) => {
    const clientSecret = (await world.fresh('checkout'))['client_secret']
    const checkoutConfirmStripe = { confirmationTokenId: 'ctoken_ok', customerBillingAddress: { country: 'GB' } }
    return polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe })
  },
  'checkouts.clientGet': async (polar, world) =>
    polar.checkouts.clientGet({ clientSecret: (await world.fresh('checkout'))['client_secret'] }),
  'checkouts.clientUpdate': async (polar, world) =>
    polar.checkouts.clientUpdate({
      clientSecret: (await world.fresh('checkout'))['client_secret'],
      checkoutUpdatePublic: { customerName: 'Ada' },
    }),
  'checkouts.create': (polar, { product }) => polar.checkouts.create({ products: [product] }),
  'checkouts.get': (polar, { checkout }) => polar.checkouts.get({ id: checkout }),
  'checkouts.list': (polar) => first(polar.checkouts.list({})),
  'checkouts.update': async (polar, world) =>
    polar.checkouts.update({ id: (await world.fresh('checkout'))['id'], checkoutUpdate: { metadata: { cart: 2 } } }),
  'checkoutLinks.create': (polar, { product }) => polar.checkoutLinks.create({ paymentProcessor: 'stripe', products: [product] }),
  'checkoutLinks.delete': async (polar, world) => polar.checkoutLinks.delete({ id: (await world.fresh('link'))['id'] }),
  'checkoutLinks.get': async (polar, world) => polar.checkoutLinks.get({ id: (await world.fresh('link'))['id'] }),
  'checkoutLinks.list': (polar) => first(polar.checkoutLinks.list({})),
  'checkoutLinks.update': async (polar, world) =>
    polar.checkoutLinks.update({ id: (await world.fresh('link'))['id'], checkoutLinkUpdate: { label: 'Spring' } }),
  'customerPortal.benefitGrants.get': (polar, { grant, session }) =>
    polar.customerPortal.benefitGrants.get({ customerSession: session }, { id: grant }),
  'customerPortal.benefitGrants.list': (polar, { session }) =>
    first(polar.customerPortal.benefitGrants.list({ customerSession: session }, {})),
  'customerPortal.customers.addPaymentMethod': (polar, { session, baseUrl }) =>
    polar.customerPortal.customers.addPaymentMethod(
      { customerSession: session },
      { confirmationTokenId: 'ctoken_ok', setDefault: false, returnUrl: baseUrl },
    ),
  'customerPortal.customers.confirmPaymentMethod': (polar, { session }) =>
    polar.customerPortal.customers.confirmPaymentMethod({ customerSession: session }, { setupIntentId: 'seti_1', setDefault: false }),
  'customerPortal.customers.deletePaymentMethod': async (polar, world) => {
    const { id, session } = await world.fresh('method')
    return polar.customerPortal.customers.deletePaymentMethod({ customerSession: session }, { id })
  },
  'customerPortal.customers.getPaymentMethods': (polar, { session }) =>
    first(polar.customerPortal.customers.getPaymentMethods({ customerSession: session }, {})),
  'customerPortal.customers.listPaymentMethods': (polar, { session }) =>
    first(polar.customerPortal.customers.listPaymentMethods({ customerSession: session }, {})),
  'customerPortal.customers.get': (polar, { session }) => polar.customerPortal.customers.get({ customerSession: session }),
  'customerPortal.customers.update': (polar, { session }) =>
    polar.customerPortal.customers.update({ customerSession: session }, { billingName: 'Ada' }),
  'customerPortal.customers.requestEmailUpdate': (polar, { session }) =>
    polar.customerPortal.customers.requestEmailUpdate({ customerSession: session }, { email: `${crypto.randomUUID()}@example.com` }),
  'customerPortal.customers.verifyEmailUpdate': (polar) => polar.customerPortal.customers.verifyEmailUpdate({ token: '4F7-K2M' }),
  'customerPortal.licenseKeys.activate': (polar, { key, organization }) =>
    polar.customerPortal.licenseKeys.activate({ key, organizationId: organization.id, label: 'desktop' }),
  'customerPortal.licenseKeys.deactivate': async (polar, world) => {
    const { id: activationId } = await world.fresh('activation')
    return polar.customerPortal.licenseKeys.deactivate({ key: world.key, organizationId: world.organization.id, activationId })
  },
  'customerPortal.licenseKeys.get': (polar, { licenseKey, session }) =>
    polar.customerPortal.licenseKeys.get({ customerSession: session }, { id: licenseKey }),
  'customerPortal.licenseKeys.list': (polar, { session }) => first(polar.customerPortal.licenseKeys.list({ customerSession: session }, {})),
  'customerPortal.licenseKeys.validate': (polar, { key, organization }) =>
    polar.customerPortal.licenseKeys.validate({ key, organizationId: organization.id }),
  'customerPortal.orders.confirmRetryPayment': async (polar, world) => {
    const { id, session } = await world.fresh('owed')
    const customerOrderConfirmPayment = { confirmationTokenId: 'ctoken_ok' }
    return polar.customerPortal.orders.confirmRetryPayment({ customerSession: session }, { id, customerOrderConfirmPayment })
  },
  'customerPortal.orders.generateInvoice': async (polar, world) =>
    polar.customerPortal.orders.generateInvoice({ customerSession: world.session }, { id: (await world.fresh('order'))['id'] }),
  'customerPortal.orders.get': (polar, { order, session }) => polar.customerPortal.orders.get({ customerSession: session }, { id: order }),
  'customerPortal.orders.invoice': (polar, { order, session }) =>
    polar.customerPortal.orders.invoice({ customerSession: session }, { id: order }),
  'customerPortal.orders.list': (polar, { session }) => first(polar.customerPortal.orders.list({ customerSession: session }, {})),
  'customerPortal.orders.update': (polar, { order, session }) =>
    polar.customerPortal.orders.update(
      { customerSession: session },
      { id: order, customerOrderUpdate: { billingName: 'Ada', billingAddress } },
    ),
  'customerPortal.organizations.get': (polar, { organization }) => polar.customerPortal.organizations.get({ slug: organization.slug }),
  'customerPortal.subscriptions.cancel': async (polar, world) => {
    const [customerSession, id] = [world.session, world.subscription]
    await polar.customerPortal.subscriptions.cancel({ customerSession }, { id }).finally(world.resumeSubscription)
  },
  'customerPortal.subscriptions.get': (polar, { subscription, session }) =>
    polar.customerPortal.subscriptions.get({ customerSession: session }, { id: subscription }),
  'customerPortal.subscriptions.list': (polar, { session }) =>
    first(polar.customerPortal.subscriptions.list({ customerSession: session }, {})),
  'customerPortal.subscriptions.update': (polar, { subscription: id, session, resumeSubscription }) =>
    polar.customerPortal.subscriptions
      .update({ customerSession: session }, { id, customerSubscriptionUpdate: { cancelAtPeriodEnd: true } })
      .finally(resumeSubscription),
  'customerSessions.create': (polar, { customer }) => polar.customerSessions.create({ customerId: customer }),
  'customers.create': (polar) => polar.customers.create({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada' }),
  'customers.delete': async (polar, world) => polar.customers.delete({ id: (await world.fresh('customer'))['id'] }),
  'customers.deleteExternal': async (polar, world) =>
    polar.customers.deleteExternal({ externalId: (await world.fresh('customer'))['external_id'] }),
  'customers.get': (polar, { customer }) => polar.customers.get({ id: customer }),
  'customers.getExternal': (polar, { externalId }) => polar.customers.getExternal({ externalId }),
  'customers.getState': (polar, { customer }) => polar.customers.getState({ id: customer }),
  'customers.getStateExternal': (polar, { externalId }) => polar.customers.getStateExternal({ externalId }),
  'customers.listPaymentMethods': (polar, { customer }) => first(polar.customers.listPaymentMethods({ id: customer })),
  'customers.list': (polar) => first(polar.customers.list({})),
  'customers.update': (polar, { customer }) => polar.customers.update({ id: customer, customerUpdate: { name: 'Ada L.' } }),
  'customers.updateExternal': (polar, { externalId }) =>
    polar.customers.updateExternal({ externalId, customerUpdateExternalID: { name: 'Ada L.' }, customerUpdate: { name: 'Ada L.' } }),
  'discounts.create': (polar) => polar.discounts.create({ name: 'Launch', type: 'fixed', amount: 500, currency: 'usd', duration: 'once' }),
  'discounts.delete': async (polar, world) => polar.discounts.delete({ id: (await world.fresh('discount'))['id'] }),
  'discounts.get': (polar, { discount }) => polar.discounts.get({ id: discount }),
  'discounts.list': (polar) => first(polar.discounts.list({})),
  'discounts.update': (polar, { discount }) => polar.discounts.update({ id: discount, discountUpdate: { maxRedemptions: 7 } }),
  'disputes.list': (polar) => first(polar.disputes.list({})),
  'events.get': async (polar) => {
    await polar.events.ingest({ events: [{ name: 'pages.printed', externalCustomerId: 'reader-1' }] })
    return polar.events.get({ id: (await firstItem(polar.events.list({}))).id })
  },
  'events.ingest': (polar) =>
    polar.events.ingest({ events: [{ name: 'pages.printed', externalCustomerId: 'reader-1', metadata: { pages: 3 } }] }),
  'events.list': (polar) => first(polar.events.list({})),
  'events.listNames': (polar) => first(polar.events.listNames({})),
  'licenseKeys.activate': (polar, { key, organization }) =>
    polar.licenseKeys.activate({ key, organizationId: organization.id, label: 'server' }),
  'licenseKeys.deactivate': async (polar, world) => {
    const { id: activationId } = await world.fresh('activation')
    return polar.licenseKeys.deactivate({ key: world.key, organizationId: world.organization.id, activationId })
  },
  'licenseKeys.validate': (polar, { key, organization }) => polar.licenseKeys.validate({ key, organizationId: organization.id }),
  'licenseKeys.get': (polar, { licenseKey }) => polar.licenseKeys.get({ id: licenseKey }),
  'licenseKeys.getActivation': (polar, { licenseKey, activation }) =>
    polar.licenseKeys.getActivation({ id: licenseKey, activationId: activation }),
  'licenseKeys.list': (polar) => first(polar.licenseKeys.list({})),
  'licenseKeys.update': (polar, { licenseKey }) => polar.licenseKeys.update({ id: licenseKey, licenseKeyUpdate: { limitUsage: 2000 } }),
  'orders.export': (polar) => polar.orders.export({}),
  'orders.generateInvoice': async (polar, world) => polar.orders.generateInvoice({ id: (await world.fresh('order'))['id'] }),
  'orders.get': (polar, { order }) => polar.orders.get({ id: order }),
  'orders.invoice': (polar, { order }) => polar.orders.invoice({ id: order }),
  'orders.list': (polar) => first(polar.orders.list({})),
  'orders.update': (polar, { order }) => polar.orders.update({ id: order, orderUpdate: { billingName: 'Ada', billingAddress } }),
  'metrics.limits': (polar) => polar.metrics.limits(),
  'organizations.get': (polar, { organization }) => polar.organizations.get({ id: organization.id }),
  'organizations.list': (polar) => first(polar.organizations.list({})),
  'organizations.listOrganizations': (polar) => first(polar.organizations.listOrganizations({})),
  'organizations.update': (polar, { organization }) =>
    polar.organizations.update({ id: organization.id, organizationUpdate: { name: 'Demo' } }),
  'payments.get': async (polar) => polar.payments.get({ id: (await firstItem(polar.payments.list({}))).id }),
  'payments.list': (polar) => first(polar.payments.list({})),
  'products.create': (polar) => polar.products.create({ name: 'Almanac', recurringInterval: null, prices: [price] }),
  'products.get': (polar, { product }) => polar.products.get({ id: product }),
  'products.list': (polar) => first(polar.products.list({})),
  'products.update': (polar, { product }) => polar.products.update({ id: product, productUpdate: { description: 'All of it' } }),
  'products.updateBenefits': (polar, { plan, keys, benefit }) =>
    polar.products.updateBenefits({ id: plan, productBenefitsUpdate: { benefits: [benefit, keys] } }),
  'refunds.create': async (polar, world) =>
    polar.refunds.create({ orderId: (await world.fresh('order'))['id'], reason: 'duplicate', amount: 100 }),
  'refunds.list': (polar) => first(polar.refunds.list({})),
  'subscriptions.export': (polar) => polar.subscriptions.export({}),
  'subscriptions.get': (polar, { subscription }) => polar.subscriptions.get({ id: subscription }),
  'subscriptions.list': (polar) => first(polar.subscriptions.list({})),
  'subscriptions.revoke': async (polar, world) => polar.subscriptions.revoke({ id: (await world.fresh('subscription'))['id'] }),
  'subscriptions.update': (polar, { subscription: id, resumeSubscription }) =>
    polar.subscriptions.update({ id, subscriptionUpdate: { cancelAtPeriodEnd: true } }).finally(resumeSubscription),
  'webhooks.createWebhookEndpoint': (polar, { sink }) =>
    polar.webhooks.createWebhookEndpoint({ url: sink.url, format: 'raw', secret: 'mine', events: ['order.paid'] }),
  'webhooks.deleteWebhookEndpoint': async (polar, world) =>
    polar.webhooks.deleteWebhookEndpoint({ id: (await world.fresh('endpoint'))['id'] }),
  'webhooks.getWebhookEndpoint': (polar, { endpoint }) => polar.webhooks.getWebhookEndpoint({ id: endpoint }),
  'webhooks.listWebhookDeliveries': (polar, { endpoint }) => first(polar.webhooks.listWebhookDeliveries({ endpointId: endpoint })),
  'webhooks.listWebhookEndpoints': (polar) => first(polar.webhooks.listWebhookEndpoints({})),
  'webhooks.redeliverWebhookEvent': (polar, { event }) => polar.webhooks.redeliverWebhookEvent({ id: event }),
  'webhooks.resetWebhookEndpointSecret': async (polar, world) =>
    polar.webhooks.resetWebhookEndpointSecret({ id: (await world.fresh('endpoint'))['id'] }),
  'webhooks.updateWebhookEndpoint': (polar, { endpoint, sink }) =>
    polar.webhooks.updateWebhookEndpoint({ id: endpoint, webhookEndpointUpdate: { url: sink.url } }),
}

/** The same with the token of a person, for operations that organizations may not call. */
export const operationsOfPersons: Record<string, Operation> = {
  'oauth2.clients.create': (polar) => polar.oauth2.clients.create(registration),
  'oauth2.clients.delete': async (polar, world) => polar.oauth2.clients.delete({ clientId: (await world.fresh('client'))['client_id'] }),
  'oauth2.clients.get': async (polar, world) => polar.oauth2.clients.get({ clientId: (await world.fresh('client'))['client_id'] }),
  'oauth2.clients.list': (polar) => first(polar.oauth2.clients.list({})),
  'oauth2.clients.update': async (polar, world) => {
    const clientId = (await world.fresh('client'))['client_id']
    const oAuth2ClientConfigurationUpdate = { ...registration, clientId, clientName: 'Renamed' }
    return polar.oauth2.clients.update({ clientId, oAuth2ClientConfigurationUpdate })
  },
  'organizationAccessTokens.create': (polar, { organization }) =>
    polar.organizationAccessTokens.create({ organizationId: organization.id, comment: 'A shop', scopes: ['orders:read'] }),
  'organizationAccessTokens.delete': async (polar, world) =>
    polar.organizationAccessTokens.delete({ id: (await world.fresh('organization-token'))['id'] }),
  'organizationAccessTokens.list': (polar, { organization }) =>
    first(polar.organizationAccessTokens.list({ organizationId: organization.id })),
  'organizationAccessTokens.update': async (polar, world) => {
    const { id } = await world.fresh('organization-token')
    return polar.organizationAccessTokens.update({ id, organizationAccessTokenUpdate: { comment: 'Another shop' } })
  },
  'organizations.create': (polar) => polar.organizations.create({ name: 'Made by the client', slug: `made-${crypto.randomUUID()}` }),
}

const registration = { clientName: 'Made by the client', redirectUris: ['https://app.example/callback'], scope: 'openid' }
const price = { amountType: 'fixed', priceAmount: 4200, priceCurrency: 'usd' }
const billingAddress = { country: 'GB', line1: '12 St James’s Square', city: 'London', postalCode: 'SW1Y 4JH' }

/** Returns the first object of a list. */
async function firstItem(list: Promise<object>): Promise<{ id: string }> {
  const page = (await first(list)) as { result: { items: { id: string }[] } }
  return page.result.items[0] as { id: string }
}

/** Returns the first page of a list. Later versions return the list of events itself. */
async function first(list: Promise<object>): Promise<unknown> {
  const pages = await list
  if (!(Symbol.asyncIterator in pages)) return { result: pages }
  for await (const page of pages as AsyncIterable<unknown>) return page
  return null
}
