import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import {
  generateCustomerOrderInvoice,
  getCustomerOrder,
  listCustomerOrders,
  updateCustomerOrder,
} from '@quittance/contracts/customer-portal'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { invoiceGenerated } from '@quittance/contracts/invoices'
import { orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import {
  InvoiceAlreadyExists,
  MissingInvoiceBillingDetails,
  NotPaidOrder,
  orderUpdated,
  updateOrder,
  type Order,
} from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { buildOrganization, startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

type Sold = Shop & { order: Order }

const toBuyerCaller = ({ organizationId, order }: Sold) => customerCaller({ organizationId, customerId: order.customer_id })

/** Returns callers who must not see the order: another customer, and the same customer id in another organization. */
const createStrangers = ({ organizationId, order }: Sold): Caller[] => [
  customerCaller({ organizationId, customerId: randomUUID() }),
  customerCaller({ organizationId: randomUUID(), customerId: order.customer_id }),
]

/** Makes a second purchase by the same customer. */
async function buyAgain(orders: OrdersUnderTest, { seller }: Sold, name: string) {
  const prices = [{ amount_type: 'fixed' as const, price_amount: 900 }]
  const product = await orders.call(createProduct, { name, recurring_interval: null, prices }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  return product
}

test('a buyer reads their order with seller and deprecated names, without the seller’s data', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const found = await orders.call(getCustomerOrder, { id: sold.order.id }, toBuyerCaller(sold))
  const sellersOwn = new Set(['metadata', 'custom_field_data', 'customer', 'discount', 'platform_fee_amount', 'platform_fee_currency'])
  const shared = Object.fromEntries(Object.entries(sold.order).filter(([key]) => !sellersOwn.has(key)))
  expect(found).toEqual({ ...shared, product: expect.anything(), transfer: null })
  expect(found.product).toMatchObject({
    id: sold.product.id,
    prices: sold.product.prices,
    benefits: [],
    medias: [],
    organization: buildOrganization(sold.organizationId),
  })
  expect(found.product_price).toEqual(sold.product.prices[0])
  expect(found.product_price_id).toBe(sold.product.prices[0]?.id)
})

test('lists the buyer’s own orders by every filter, sorted by every property', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const buyer = toBuyerCaller(sold)
  await buyAgain(orders, sold, 'Almanac')
  await orders.paidOrder({ billed: true })
  const names = async (request: object) => (await orders.call(listCustomerOrders, request, buyer)).items.map(({ product }) => product.name)
  expect(await names({})).toEqual(['Almanac', 'Pro plan'])
  expect(await names({ sorting: 'created_at' })).toEqual(['Pro plan', 'Almanac'])
  expect(await names({ sorting: ['-amount'] })).toEqual(['Pro plan', 'Almanac'])
  expect(await names({ sorting: 'net_amount' })).toEqual(['Almanac', 'Pro plan'])
  expect(await names({ sorting: '-product' })).toEqual(['Pro plan', 'Almanac'])
  expect(await names({ sorting: ['subscription', 'product'] })).toEqual(['Almanac', 'Pro plan'])
  expect(await names({ query: 'PLAN' })).toEqual(['Pro plan'])
  expect(await names({ query: '%' })).toEqual([])
  expect(await names({ product_id: [sold.product.id, randomUUID()] })).toEqual(['Pro plan'])
  expect(await names({ product_billing_type: 'recurring' })).toEqual([])
  expect(await names({ product_billing_type: ['one_time'], limit: 1 })).toEqual(['Almanac'])
  expect(await names({ organization_id: randomUUID() })).toEqual([])
  expect(await names({ subscription_id: randomUUID() })).toEqual([])
  for (const stranger of createStrangers(sold)) expect((await orders.call(listCustomerOrders, {}, stranger)).items).toEqual([])
})

test('a buyer changes the billing details like the seller, and the whole order is published', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: false })
  const details = { billing_name: ' Ada ', billing_address: { country: 'us', state: 'ny' } }
  const changed = await orders.call(updateCustomerOrder, { id: sold.order.id, ...details }, toBuyerCaller(sold))
  expect(changed).toMatchObject({ billing_name: 'Ada', billing_address: { country: 'US', state: 'US-NY' }, product: { organization: {} } })
  expect(await orders.nextEvent(orderUpdated)).toMatchObject({
    id: sold.order.id,
    billing_name: 'Ada',
    customer: { id: sold.order.customer_id },
  })
})

test('neither buyer nor seller changes the invoice details after the request [25]', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const { id } = sold.order
  await orders.call(generateCustomerOrderInvoice, { id }, toBuyerCaller(sold))
  await expect(orders.call(updateCustomerOrder, { id, billing_name: 'Bob' }, toBuyerCaller(sold))).rejects.toThrow(RequestValidationError)
  await expect(orders.call(updateCustomerOrder, { id, billing_address: null }, toBuyerCaller(sold))).rejects.toThrow(/billing_address/)
  await expect(orders.call(updateOrder, { id, billing_name: 'Bob' }, sold.seller)).rejects.toThrow(RequestValidationError)
  expect(await orders.call(updateCustomerOrder, { id, billing_name: 'Ada Lovelace' }, toBuyerCaller(sold))).toMatchObject({ id })
})

test('a buyer requests the invoice like a seller, repeatedly until it exists [3, 14]', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const { id } = sold.order
  const requestInvoice = () => orders.call(generateCustomerOrderInvoice, { id }, toBuyerCaller(sold))
  expect(await requestInvoice()).toBeNull()
  await requestInvoice()
  expect(await orders.nextEvent(orderInvoiceRequested)).toMatchObject({ order_id: id, customer_id: sold.order.customer_id })
  const generated = {
    invoice_id: randomUUID(),
    order_id: id,
    number: 'ACME-0001',
    sha256: 'a'.repeat(64),
    generated_at: new Date().toISOString(),
  }
  await orders.emit(invoiceGenerated, generated, { organizationId: sold.organizationId, aggregateId: generated.invoice_id })
  await eventually(async () =>
    expect(await orders.call(getCustomerOrder, { id }, toBuyerCaller(sold))).toMatchObject({ is_invoice_generated: true }),
  )
  await expect(requestInvoice()).rejects.toThrow(InvoiceAlreadyExists)
  await eventually(() => expect(orders.publishedEvents.filter(({ subject }) => subject === orderInvoiceRequested.subject)).toHaveLength(2))
})

test('rejects an invoice for an unpaid order and for one without billing details', async () => {
  await using orders = await startOrders()
  const pending = await orders.pendingOrder()
  await expect(orders.call(generateCustomerOrderInvoice, { id: pending.order.id }, toBuyerCaller(pending))).rejects.toThrow(NotPaidOrder)
  const bare = await orders.paidOrder({ billed: false })
  await expect(orders.call(generateCustomerOrderInvoice, { id: bare.order.id }, toBuyerCaller(bare))).rejects.toThrow(
    MissingInvoiceBillingDetails,
  )
})

test('returns not found for another customer’s order from every operation, unchanged [14]', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const { id } = sold.order
  for (const stranger of createStrangers(sold)) {
    await expect(orders.call(getCustomerOrder, { id }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(updateCustomerOrder, { id, billing_name: 'Mine now' }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(generateCustomerOrderInvoice, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  }
  const [row] = await orders.rows('select billing_name, invoice_requested_at from orders where id = $1', [id])
  expect(row).toEqual({ billing_name: 'Ada Lovelace', invoice_requested_at: null })
})
