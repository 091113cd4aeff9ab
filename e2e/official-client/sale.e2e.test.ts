import { createHash } from 'node:crypto'
import { Polar } from '@polar-sh/sdk'
import { InvoiceAlreadyExists } from '@polar-sh/sdk/models/errors/invoicealreadyexists.js'
import { MissingInvoiceBillingDetails } from '@polar-sh/sdk/models/errors/missinginvoicebillingdetails.js'
import { ResourceNotFound } from '@polar-sh/sdk/models/errors/resourcenotfound.js'
import { validateEvent } from '@polar-sh/sdk/webhooks'
import { eventually } from '@quittance/testing/eventually'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { expect, test } from 'vitest'

test('the unmodified official client makes a sale, gets its invoice and verifies its webhooks', async () => {
  const system = await useSharedSystem()
  await using sink = await startEndpointSink()
  const polar = new Polar({ accessToken: system.demo.organization_access_token, serverURL: system.readReadyFile().base_url })

  const secret = 'a secret of my own'
  const endpoint = await polar.webhooks.createWebhookEndpoint({
    url: sink.url,
    format: 'raw',
    secret,
    events: ['order.created', 'order.updated', 'order.paid'],
  })
  expect((await polar.webhooks.getWebhookEndpoint({ id: endpoint.id })).events).toContain('order.paid')
  const product = await polar.products.create({
    name: 'Pro plan',
    recurringInterval: null,
    prices: [{ amountType: 'fixed', priceAmount: 4200 }],
    metadata: { plan: 'pro', seats: 5 },
  })
  const discount = await polar.discounts.create({ name: 'Launch', type: 'percentage', basisPoints: 1000, duration: 'once', code: 'LAUNCH' })
  const customer = await polar.customers.create({ email: 'grace@example.com', name: 'Grace Hopper' })
  const checkout = await polar.checkouts.create({ products: [product.id], customerId: customer.id, discountId: discount.id })
  expect(checkout).toMatchObject({ amount: 4200, discountAmount: 420, netAmount: 3780, status: 'open' })
  expect(await polar.checkouts.get({ id: checkout.id })).toMatchObject({ clientSecret: checkout.clientSecret })
  expect(await polar.checkouts.clientGet({ clientSecret: checkout.clientSecret })).toMatchObject({
    organization: { slug: system.demo.organization.slug },
  })
  const confirmed = await polar.checkouts.clientConfirm({
    clientSecret: checkout.clientSecret,
    checkoutConfirmStripe: { confirmationTokenId: 'ctoken_ok' },
  })
  expect(confirmed).toMatchObject({ status: 'confirmed', customerSessionToken: expect.any(String) })

  // As `@polar-sh/express` does, which verifies a body that its framework has parsed.
  const events = () =>
    sink.received
      .map(({ body, headers }) => validateEvent(JSON.stringify(JSON.parse(body)), headers as Record<string, string>, secret))
      .filter((event) => 'checkoutId' in event.data && event.data.checkoutId === checkout.id)
  await eventually(() => expect(events().map(({ type }) => type)).toEqual(['order.created', 'order.updated', 'order.paid']))

  const orders = []
  for await (const page of await polar.orders.list({ customerId: customer.id })) orders.push(...page.result.items)
  const [order] = orders
  if (!order) throw new Error('no order')
  expect(order).toMatchObject({ status: 'paid', netAmount: 3780, discountId: discount.id, items: [{ label: 'Pro plan', amount: 4200 }] })
  expect(await polar.orders.get({ id: order.id })).toEqual(order)

  await expect(polar.orders.invoice({ id: order.id })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.orders.generateInvoice({ id: order.id })).rejects.toBeInstanceOf(MissingInvoiceBillingDetails)
  const details = {
    billingName: 'Grace Hopper',
    billingAddress: { country: 'US', state: 'NY', line1: '1 Navy Yard', city: 'Brooklyn', postalCode: '11205' },
  }
  const updated = await polar.orders.update({ id: order.id, orderUpdate: details })
  expect(updated.billingAddress).toMatchObject({ state: 'US-NY' })
  await polar.orders.generateInvoice({ id: order.id })
  await eventually(() => expect(events().at(-1)).toMatchObject({ type: 'order.updated', data: { isInvoiceGenerated: true } }))
  await expect(polar.orders.generateInvoice({ id: order.id })).rejects.toBeInstanceOf(InvoiceAlreadyExists)

  const hash = async () =>
    createHash('sha256')
      .update(await (await fetch((await polar.orders.invoice({ id: order.id })).url)).bytes())
      .digest('hex')
  expect(await hash()).toBe(await hash())

  const deliveries = await polar.webhooks.listWebhookDeliveries({ endpointId: endpoint.id })
  expect(deliveries.result.items.every(({ succeeded }) => succeeded)).toBe(true)
  await polar.webhooks.deleteWebhookEndpoint({ id: endpoint.id })
})
