import type { Operation } from './operations.ts'

/** The same for versions 1.x, whose methods take ids, bodies and filters by position. They do not validate replies, and have no portal. */
export const operationsOf1: Record<string, Operation> = {
  'benefits.create': (polar) => polar.benefits.create({ type: 'custom', description: 'A call', properties: { note: 'Book it.' } }),
  'benefits.delete': async (polar, world) => polar.benefits.delete((await world.fresh('benefit'))['id']),
  'benefits.get': (polar, { benefit }) => polar.benefits.get(benefit),
  'benefits.grants': (polar, { benefit }) => polar.benefits.grants(benefit),
  'benefits.list': (polar) => polar.benefits.list(),
  'benefits.update': (polar, { benefit }) => polar.benefits.update(benefit, { type: 'custom', description: 'Calls' }),
  'checkouts.clientConfirm': async (polar, world) =>
    polar.checkouts.clientConfirm((await world.fresh('checkout'))['client_secret'], {
      confirmation_token_id: 'ctoken_ok',
      customer_billing_address: { country: 'GB' },
    }),
  'checkouts.clientGet': async (polar, world) => polar.checkouts.clientGet((await world.fresh('checkout'))['client_secret']),
  'checkouts.clientUpdate': async (polar, world) =>
    polar.checkouts.clientUpdate((await world.fresh('checkout'))['client_secret'], { customer_name: 'Ada' }),
  'checkouts.create': (polar, { product }) => polar.checkouts.create({ products: [product] }),
  'checkouts.get': (polar, { checkout }) => polar.checkouts.get(checkout),
  'checkouts.list': (polar) => polar.checkouts.list(),
  'checkouts.update': async (polar, world) => polar.checkouts.update((await world.fresh('checkout'))['id'], { metadata: { cart: 2 } }),
  'checkoutLinks.create': (polar, { product }) => polar.checkoutLinks.create({ payment_processor: 'stripe', products: [product] }),
  'checkoutLinks.delete': async (polar, world) => polar.checkoutLinks.delete((await world.fresh('link'))['id']),
  'checkoutLinks.get': async (polar, world) => polar.checkoutLinks.get((await world.fresh('link'))['id']),
  'checkoutLinks.list': (polar) => polar.checkoutLinks.list(),
  'checkoutLinks.update': async (polar, world) => polar.checkoutLinks.update((await world.fresh('link'))['id'], { label: 'Spring' }),
  'customerSessions.create': (polar, { customer }) => polar.customerSessions.create({ customer_id: customer }),
  'customers.create': (polar) => polar.customers.create({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada' }),
  'customers.delete': async (polar, world) => polar.customers.delete((await world.fresh('customer'))['id']),
  'customers.deleteExternal': async (polar, world) => polar.customers.deleteExternal((await world.fresh('customer'))['external_id']),
  'customers.get': (polar, { customer }) => polar.customers.get(customer),
  'customers.getExternal': (polar, { externalId }) => polar.customers.getExternal(externalId),
  'customers.getState': (polar, { customer }) => polar.customers.getState(customer),
  'customers.getStateExternal': (polar, { externalId }) => polar.customers.getStateExternal(externalId),
  'customers.list': (polar) => polar.customers.list(),
  'customers.update': (polar, { customer }) => polar.customers.update(customer, { name: 'Ada L.' }),
  'customers.updateExternal': (polar, { externalId }) => polar.customers.updateExternal(externalId, { name: 'Ada L.' }),
  'discounts.create': (polar) => polar.discounts.create({ name: 'Launch', type: 'fixed', amount: 500, currency: 'usd', duration: 'once' }),
  'discounts.delete': async (polar, world) => polar.discounts.delete((await world.fresh('discount'))['id']),
  'discounts.get': (polar, { discount }) => polar.discounts.get(discount),
  'discounts.list': (polar) => polar.discounts.list(),
  'discounts.update': (polar, { discount }) => polar.discounts.update(discount, { max_redemptions: 7 }),
  'events.get': async (polar) => {
    await polar.events.ingest({ events: [{ name: 'pages.printed', external_customer_id: 'reader-1' }] })
    const { items } = await polar.events.list()
    return polar.events.get(items[0].id)
  },
  'events.ingest': (polar) =>
    polar.events.ingest({ events: [{ name: 'pages.printed', external_customer_id: 'reader-1', metadata: { pages: 3 } }] }),
  'events.list': (polar) => polar.events.list(),
  'events.listNames': (polar) => polar.events.listNames(),
  'licenseKeys.activate': (polar, { key, organization }) =>
    polar.licenseKeys.activate({ key, organization_id: organization.id, label: 'server' }),
  'licenseKeys.deactivate': async (polar, world) => {
    const { id: activation_id } = await world.fresh('activation')
    return polar.licenseKeys.deactivate({ key: world.key, organization_id: world.organization.id, activation_id })
  },
  'licenseKeys.validate': (polar, { key, organization }) => polar.licenseKeys.validate({ key, organization_id: organization.id }),
  'licenseKeys.get': (polar, { licenseKey }) => polar.licenseKeys.get(licenseKey),
  'licenseKeys.getActivation': (polar, { licenseKey, activation }) => polar.licenseKeys.getActivation(licenseKey, activation),
  'licenseKeys.list': (polar) => polar.licenseKeys.list(),
  'licenseKeys.update': (polar, { licenseKey }) => polar.licenseKeys.update(licenseKey, { limit_usage: 2000 }),
  'metrics.limits': (polar) => polar.metrics.limits(),
  'orders.generateInvoice': async (polar, world) => polar.orders.generateInvoice((await world.fresh('order'))['id']),
  'orders.get': (polar, { order }) => polar.orders.get(order),
  'orders.invoice': (polar, { order }) => polar.orders.invoice(order),
  'orders.list': (polar) => polar.orders.list(),
  'orders.update': (polar, { order }) => polar.orders.update(order, { billing_name: 'Ada' }),
  'organizations.get': (polar, { organization }) => polar.organizations.get(organization.id),
  'organizations.list': (polar) => polar.organizations.list(),
  'organizations.update': (polar, { organization }) => polar.organizations.update(organization.id, { name: 'Demo' }),
  'products.create': (polar) => polar.products.create({ name: 'Almanac', recurring_interval: null, prices: [price] }),
  'products.get': (polar, { product }) => polar.products.get(product),
  'payments.list': (polar) => polar.payments.list(),
  'products.list': (polar) => polar.products.list(),
  'products.update': (polar, { product }) => polar.products.update(product, { description: 'All of it' }),
  'products.updateBenefits': (polar, { plan, keys, benefit }) => polar.products.updateBenefits(plan, { benefits: [benefit, keys] }),
  'refunds.create': async (polar, world) =>
    polar.refunds.create({ order_id: (await world.fresh('order'))['id'], reason: 'duplicate', amount: 100 }),
  'refunds.list': (polar) => polar.refunds.list(),
  'subscriptions.export': (polar) => polar.subscriptions.export(),
  'subscriptions.get': (polar, { subscription }) => polar.subscriptions.get(subscription),
  'subscriptions.list': (polar) => polar.subscriptions.list(),
  'subscriptions.revoke': async (polar, world) => polar.subscriptions.revoke((await world.fresh('subscription'))['id']),
  'subscriptions.update': (polar, { subscription, resumeSubscription }) =>
    polar.subscriptions.update(subscription, { cancel_at_period_end: true }).finally(resumeSubscription),
  'webhooks.createWebhookEndpoint': (polar, { sink }) =>
    polar.webhooks.createWebhookEndpoint({ url: sink.url, format: 'raw', events: ['order.paid'] }),
  'webhooks.deleteWebhookEndpoint': async (polar, world) => polar.webhooks.deleteWebhookEndpoint((await world.fresh('endpoint'))['id']),
  'webhooks.getWebhookEndpoint': (polar, { endpoint }) => polar.webhooks.getWebhookEndpoint(endpoint),
  'webhooks.listWebhookDeliveries': (polar, { endpoint }) => polar.webhooks.listWebhookDeliveries({ endpoint_id: endpoint }),
  'webhooks.listWebhookEndpoints': (polar) => polar.webhooks.listWebhookEndpoints(),
  'webhooks.redeliverWebhookEvent': (polar, { event }) => polar.webhooks.redeliverWebhookEvent(event),
  'webhooks.updateWebhookEndpoint': (polar, { endpoint, sink }) => polar.webhooks.updateWebhookEndpoint(endpoint, { url: sink.url }),
}

const price = { amount_type: 'fixed', price_amount: 4200, price_currency: 'usd' }
