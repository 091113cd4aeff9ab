/** The main use case: from a product to a permanent invoice. */
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ApiClient } from '../api-client.ts'
import { untilPaid } from '../seed/demo-sales.ts'
import { dollars, downloadInvoice, expectTexts, type InvoiceDocument } from './invoice-document.ts'
import { createSection, step } from './steps.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

export interface ScenarioOptions {
  api: ApiClient
  receiver: WebhookReceiver
  /** Restarts every service, waits until all are ready again, and returns a description. Null if the services must not be restarted. */
  restartServices: (() => Promise<string>) | null
}

interface Order {
  id: string
  status: string
  subtotal_amount: number
  discount_amount: number
  total_amount: number
  items: { label: string }[]
}

const buyer = 'Byron & Sons Ltd'
const billing = {
  billing_name: buyer,
  billing_address: { line1: '12 Analytical Row', postal_code: 'SW1Y 4JH', city: 'London', country: 'GB' },
}

export async function runScenario({ api, receiver, restartServices }: ScenarioOptions): Promise<void> {
  const goods = await setUpShop(api, receiver)
  const order = await sell(goods, { api, receiver })
  const invoice = await makeInvoice(order, { api, receiver })
  await provePermanence(order, { api, invoice, restartServices })
}

interface Goods {
  productId: string
  discountId: string
  customerId: string
}

async function setUpShop(api: ApiClient, receiver: WebhookReceiver): Promise<Goods> {
  createSection(1, 'The shop is set up')
  const create = <Reply = { id: string }>(path: string, body: unknown) => api.send<Reply>('POST', { path, body, expect: 201 })
  const endpoint = { url: receiver.url, format: 'raw', events: ['order.created', 'order.updated', 'order.paid'] }
  const { secret } = await step(
    'webhook endpoint',
    () => create<{ secret: string }>('/v1/webhooks/endpoints', endpoint),
    () => receiver.url,
  )
  receiver.trust(secret)
  const prices = [{ amount_type: 'fixed', price_amount: 12_900, price_currency: 'usd' }]
  const product = await step('product “Difference Engine”, $129.00', () =>
    create('/v1/products/', { name: 'Difference Engine', recurring_interval: null, prices }),
  )
  const discount = await step('discount of 10 %', () =>
    create('/v1/discounts/', { name: 'Spring', type: 'percentage', basis_points: 1_000, duration: 'once' }),
  )
  const customer = await step('customer ada.byron@example.com', () =>
    create('/v1/customers/', { email: 'ada.byron@example.com', name: 'Ada Byron' }),
  )
  return { productId: product.id, discountId: discount.id, customerId: customer.id }
}

type Scene = Pick<ScenarioOptions, 'api' | 'receiver'>

async function sell(goods: Goods, { api, receiver }: Scene): Promise<Order> {
  createSection(2, 'A customer buys')
  const request = { products: [goods.productId], discount_id: goods.discountId, customer_id: goods.customerId }
  const checkout = await step(
    'checkout',
    () =>
      api.send<{ id: string; client_secret: string; total_amount: number }>('POST', { path: '/v1/checkouts/', body: request, expect: 201 }),
    ({ total_amount: total }) => `${dollars(total)} to pay`,
  )
  const confirmation = { path: `/v1/checkouts/client/${checkout.client_secret}/confirm`, body: { confirmation_token_id: 'ctoken_ok' } }
  await step('confirmed with the sandbox payment', () => api.send('POST', { ...confirmation, expect: 200 }))
  const orders = { path: `/v1/orders/?checkout_id=${checkout.id}`, expect: 200 }
  const { id } = await step('the order exists', async () => {
    const { items } = await api.send<{ items: Order[] }>('GET', orders)
    if (!items[0]) throw new Error('the list of orders does not contain it')
    return items[0]
  })
  await step('the order is paid', () => untilPaid(api, id))
  await step(
    'webhooks, each with a signature that verifies',
    () => expectSale(receiver, id),
    (types) => types.join(', '),
  )
  return api.send<Order>('GET', { path: `/v1/orders/${id}`, expect: 200 })
}

/** Waits for the three events of a sale, in order; the first shows the order before the payment. */
async function expectSale(receiver: WebhookReceiver, orderId: string): Promise<string[]> {
  await receiver.waitFor(({ type, data }) => type === 'order.paid' && data.id === orderId)
  const received = receiver.events.filter(({ data }) => data.id === orderId).map(({ type, data }) => `${type} (${data.status})`)
  const expected = ['order.created (pending)', 'order.updated (paid)', 'order.paid (paid)']
  if (received.join() !== expected.join()) throw new Error(`received ${received.join(', ')} instead of ${expected.join(', ')}`)
  return received
}

async function makeInvoice(order: Order, { api, receiver }: Scene): Promise<InvoiceDocument> {
  createSection(3, 'The customer requests an invoice')
  const invoice = `/v1/orders/${order.id}/invoice`
  await step('no invoice exists: 404', () => api.send('GET', { path: invoice, expect: 404 }))
  await step('none can be generated without billing details: 422', () => api.send('POST', { path: invoice, expect: 422 }))
  await step(
    'billing details are set',
    () => api.send('PATCH', { path: `/v1/orders/${order.id}`, body: billing, expect: 200 }),
    () => buyer,
  )
  await step('the invoice is requested: 202', () => api.send('POST', { path: invoice, expect: 202 }))
  const isDone = ({ type, data }: { type: string; data: { id: string; is_invoice_generated: boolean } }) =>
    type === 'order.updated' && data.id === order.id && data.is_invoice_generated
  await step('webhook order.updated reports that it is generated', () => receiver.waitFor(isDone))
  const document = await step(
    'it is downloaded',
    () => downloadInvoice(api, order.id),
    ({ bytes }) => `${bytes.length} bytes`,
  )
  const sums = [dollars(order.subtotal_amount), dollars(order.discount_amount), dollars(order.total_amount)]
  const texts = [document.number, buyer, ...order.items.map(({ label }) => label), ...sums]
  await step(
    'its text is correct',
    () => expectTexts(document.bytes, texts),
    () => texts.join(' · '),
  )
  const file = resolve(`invoice-${document.number}.pdf`)
  await step(
    'saved',
    async () => writeFileSync(file, document.bytes),
    () => file,
  )
  return document
}

interface Permanence extends Pick<ScenarioOptions, 'api' | 'restartServices'> {
  invoice: InvoiceDocument
}

async function provePermanence(order: Order, { api, invoice, restartServices }: Permanence): Promise<void> {
  createSection(4, 'The invoice is permanent')
  const again = { path: `/v1/orders/${order.id}/invoice`, expect: 409 }
  await step('it cannot be requested twice: 409', () => api.send('POST', again))
  const change = { path: `/v1/orders/${order.id}`, body: { billing_name: 'Another Buyer Ltd' }, expect: 422 }
  await step('its billing details cannot change: 422', () => api.send('PATCH', change))
  if (restartServices) await step('every service is restarted', restartServices, (done) => done)
  await step(
    'the document is the same, byte for byte',
    async () => {
      const { sha256 } = await downloadInvoice(api, order.id)
      if (sha256 !== invoice.sha256) throw new Error(`SHA-256 was ${invoice.sha256} and is ${sha256}`)
      return sha256
    },
    (sha256) => `SHA-256 ${sha256.slice(0, 16)}…`,
  )
}
