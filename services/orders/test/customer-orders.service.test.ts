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
import {
  InvoiceAlreadyExists,
  MissingInvoiceBillingDetails,
  NotPaidOrder,
  orderInvoiceRequested,
  orderUpdated,
  updateOrder,
  type Order,
} from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { anOrganization, startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

type Sold = Shop & { order: Order }

const buyerOf = ({ organizationId, order }: Sold) => customerCaller({ organizationId, customerId: order.customer_id })

/** Those who must not see the order: another customer, and the same customer's id in another organization. */
const strangersTo = ({ organizationId, order }: Sold): Caller[] => [
  customerCaller({ organizationId, customerId: randomUUID() }),
  customerCaller({ organizationId: randomUUID(), customerId: order.customer_id }),
]

/** A second purchase by the same person. */
async function buyAgain(orders: OrdersUnderTest, { seller }: Sold, name: string) {
  const prices = [{ amount_type: 'fixed' as const, price_amount: 900 }]
  const product = await orders.call(createProduct, { name, recurring_interval: null, prices }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  return product
}

test('a buyer reads their order with its seller and the deprecated names, without what the seller noted', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const found = await orders.call(getCustomerOrder, { id: sold.order.id }, buyerOf(sold))
  const sellersOwn = new Set(['metadata', 'custom_field_data', 'customer', 'discount'])
  const shared = Object.fromEntries(Object.entries(sold.order).filter(([key]) => !sellersOwn.has(key)))
  expect(found).toEqual({ ...shared, product: expect.anything() })
  expect(found.product).toMatchObject({
    id: sold.product.id,
    prices: sold.product.prices,
    benefits: [],
    medias: [],
    organization: anOrganization(sold.organizationId),
  })
  expect(found.product_price).toEqual(sold.product.prices[0])
  expect(found.product_price_id).toBe(sold.product.prices[0]?.id)
})

test('a list holds the buyer’s own orders, narrowed by every filter and sorted by every property', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const buyer = buyerOf(sold)
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
  for (const stranger of strangersTo(sold)) expect((await orders.call(listCustomerOrders, {}, stranger)).items).toEqual([])
})

test('a buyer changes the billing details like the seller does, and the whole order is said', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: false })
  const details = { billing_name: ' Ada ', billing_address: { country: 'us', state: 'ny' } }
  const changed = await orders.call(updateCustomerOrder, { id: sold.order.id, ...details }, buyerOf(sold))
  expect(changed).toMatchObject({ billing_name: 'Ada', billing_address: { country: 'US', state: 'US-NY' }, product: { organization: {} } })
  expect(await orders.nextEvent(orderUpdated)).toMatchObject({
    id: sold.order.id,
    billing_name: 'Ada',
    customer: { id: sold.order.customer_id },
  })
})

test('once the invoice is asked for, neither buyer nor seller changes what it says (checklist 25)', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const { id } = sold.order
  await orders.call(generateCustomerOrderInvoice, { id }, buyerOf(sold))
  await expect(orders.call(updateCustomerOrder, { id, billing_name: 'Bob' }, buyerOf(sold))).rejects.toThrow(RequestValidationError)
  await expect(orders.call(updateCustomerOrder, { id, billing_address: null }, buyerOf(sold))).rejects.toThrow(/billing_address/)
  await expect(orders.call(updateOrder, { id, billing_name: 'Bob' }, sold.seller)).rejects.toThrow(RequestValidationError)
  expect(await orders.call(updateCustomerOrder, { id, billing_name: 'Ada Lovelace' }, buyerOf(sold))).toMatchObject({ id })
})

test('a buyer asks for the invoice under the conditions a seller does, as often as they like until it is there (checklist 3, 14)', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const { id } = sold.order
  const ask = () => orders.call(generateCustomerOrderInvoice, { id }, buyerOf(sold))
  expect(await ask()).toBeNull()
  await ask()
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
    expect(await orders.call(getCustomerOrder, { id }, buyerOf(sold))).toMatchObject({ is_invoice_generated: true }),
  )
  await expect(ask()).rejects.toThrow(InvoiceAlreadyExists)
  await eventually(() => expect(orders.said.filter(({ subject }) => subject === orderInvoiceRequested.subject)).toHaveLength(2))
})

test('an order that is not paid, and one without billing details, get no invoice', async () => {
  await using orders = await startOrders()
  const pending = await orders.pendingOrder()
  await expect(orders.call(generateCustomerOrderInvoice, { id: pending.order.id }, buyerOf(pending))).rejects.toThrow(NotPaidOrder)
  const bare = await orders.paidOrder({ billed: false })
  await expect(orders.call(generateCustomerOrderInvoice, { id: bare.order.id }, buyerOf(bare))).rejects.toThrow(
    MissingInvoiceBillingDetails,
  )
})

test('another customer’s order is not found, by any operation, and stays as it was (checklist 14)', async () => {
  await using orders = await startOrders()
  const sold = await orders.paidOrder({ billed: true })
  const { id } = sold.order
  for (const stranger of strangersTo(sold)) {
    await expect(orders.call(getCustomerOrder, { id }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(updateCustomerOrder, { id, billing_name: 'Mine now' }, stranger)).rejects.toThrow(ResourceNotFound)
    await expect(orders.call(generateCustomerOrderInvoice, { id }, stranger)).rejects.toThrow(ResourceNotFound)
  }
  const [row] = await orders.rows('select billing_name, invoice_requested_at from orders where id = $1', [id])
  expect(row).toEqual({ billing_name: 'Ada Lovelace', invoice_requested_at: null })
})
