import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import {
  generateOrderInvoice,
  getOrder,
  InvoiceAlreadyExists,
  listOrders,
  MissingInvoiceBillingDetails,
  NotPaidOrder,
  orderUpdated,
  updateOrder,
  type Order,
} from '@quittance/contracts/orders'
import { invoiceGenerated } from '@quittance/contracts/invoices'
import { generateCustomerOrderInvoice } from '@quittance/contracts/customer-portal'
import type { RequestInput } from '@quittance/contracts/operation'
import { customerCaller, organizationCaller } from '@quittance/testing/callers'
import { createRefund } from '@quittance/contracts/refunds'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'

test('two requests freeze the billing details once and publish the same snapshot [1, 8]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  expect(await orders.nextEvent(orderInvoiceRequested)).toMatchObject({
    order_id: order.id,
    billing_name: 'Ada Lovelace',
    total_amount: 4200,
  })
  await orders.call(updateOrder, { id: order.id, billing_name: 'Ada Lovelace' }, seller)
  await orders.nextEvent(orderUpdated)
  const requests = orders.publishedEvents.filter(({ subject }) => subject === orderInvoiceRequested.subject).map(({ payload }) => payload)
  expect(requests).toHaveLength(2)
  expect(requests[1]).toEqual(requests[0])
})

test('publishes the snapshot again after a refund of an order with a requested invoice', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  await orders.call(createRefund, { order_id: order.id, amount: 1000, reason: 'other' }, seller)
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  const first = await orders.nextEvent(orderInvoiceRequested)
  expect(first).toMatchObject({ total_amount: 4200, locale: null, period: null, refunds: [{ amount: 1000, tax_amount: 0 }] })
  await orders.call(createRefund, { order_id: order.id, amount: 200, reason: 'other' }, seller)
  const { refunds, ...rest } = await orders.nextEvent(orderInvoiceRequested)
  expect({ ...rest, refunds: first.refunds }).toEqual(first)
  expect(refunds).toMatchObject([{ amount: 1000 }, { amount: 200 }])
})

test('rejects an order without billing details [9]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: false })
  const requestInvoice = () => orders.call(generateOrderInvoice, { id: order.id }, seller)
  await expect(requestInvoice()).rejects.toThrow(MissingInvoiceBillingDetails)
  await expect(requestInvoice()).rejects.toThrow('Missing: billing_name, billing_address.')
  await orders.call(updateOrder, { id: order.id, billing_name: 'Ada' }, seller)
  await expect(requestInvoice()).rejects.toThrow('Missing: billing_address.')
})

test('requires a postal code, of seller and buyer alike, if the country has them [29]', async () => {
  await using orders = await startOrders()
  const { order, seller, organizationId } = await orders.paidOrder({ billed: true })
  const { id } = order
  const buyer = customerCaller({ organizationId, customerId: order.customer_id })
  const livesIn = (billing_address: RequestInput<typeof updateOrder>['billing_address']) =>
    orders.call(updateOrder, { id, billing_address }, seller)
  for (const address of [
    { country: 'DE', line1: 'Torstraße 1', city: 'Berlin' },
    { country: 'GB', postal_code: '  ' },
  ]) {
    await livesIn(address)
    await expect(orders.call(generateOrderInvoice, { id }, seller)).rejects.toThrow('Missing: billing_address.postal_code.')
    await expect(orders.call(generateCustomerOrderInvoice, { id }, buyer)).rejects.toThrow('Missing: billing_address.postal_code.')
  }
  await livesIn({ country: 'AE', city: 'Dubai' })
  expect(await orders.call(generateCustomerOrderInvoice, { id }, buyer)).toBeNull()
  const elsewhere = await orders.paidOrder({ billed: true })
  await orders.call(updateOrder, { id: elsewhere.order.id, billing_address: { country: 'HK', city: 'Kowloon' } }, elsewhere.seller)
  expect(await orders.call(generateOrderInvoice, { id: elsewhere.order.id }, elsewhere.seller)).toBeNull()
})

test('repeats an invoice request from before postal codes were required [29]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  await orders.rows(`update orders set billing_address = billing_address || '{"postal_code": null}' where id = $1 returning 1`, [order.id])
  expect(await orders.call(generateOrderInvoice, { id: order.id }, seller)).toBeNull()
})

test('rejects a blank name and one longer than 250 characters [31, 32]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  const name = (billing_name: string) => orders.call(updateOrder, { id: order.id, billing_name }, seller)
  await expect(name('W'.repeat(251))).rejects.toThrow(RequestValidationError)
  expect(await name(` ${'W'.repeat(248)} `)).toMatchObject({ billing_name: 'W'.repeat(248) })
  expect(await name('   ')).toMatchObject({ billing_name: null })
  await expect(orders.call(generateOrderInvoice, { id: order.id }, seller)).rejects.toThrow(MissingInvoiceBillingDetails)
})

/** Creates this many paid orders of one seller, billed to Ada Lovelace. */
async function paidOrders(orders: OrdersUnderTest, count: number) {
  const { seller, product } = await orders.shop()
  const details = { customer_name: 'Ada Lovelace', customer_billing_address: { country: 'GB', postal_code: 'SW1Y 4JH' } }
  for (let bought = 0; bought < count; bought += 1) {
    const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
    const confirmation = { client_secret, customer_email: `ada${bought}@example.com`, confirmation_token_id: 'ctoken_ok', ...details }
    await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  }
  const paid = await eventually(async () => {
    const { items } = await orders.call(listOrders, { limit: 100 }, seller)
    expect(items.filter(({ status }) => status === 'paid')).toHaveLength(count)
    return items
  })
  return { paid, seller }
}

test('in 100 of 100 races of a change and a request the invoice matches its order [24]', async () => {
  await using orders = await startOrders()
  const { paid, seller } = await paidOrders(orders, 100)
  const race = async ({ id }: Order, index: number) => {
    const change = () => orders.call(updateOrder, { id, billing_name: `Countess ${index}`, billing_address: { country: 'HK' } }, seller)
    const request = () => orders.call(generateOrderInvoice, { id }, seller)
    // Each goes first in half of the races.
    const [first, second] = index % 2 ? [change, request] : [request, change]
    const outcomes = await Promise.allSettled([first(), second()])
    expect(outcomes[index % 2 ? 1 : 0]?.status).toBe('fulfilled')
    const changed = outcomes[index % 2 ? 0 : 1]?.status === 'fulfilled'
    const { billing_name, billing_address } = await orders.call(getOrder, { id }, seller)
    expect([billing_name, billing_address?.country]).toEqual(changed ? [`Countess ${index}`, 'HK'] : ['Ada Lovelace', 'GB'])
    return { order_id: id, billing_name, billing_address }
  }
  const stored: object[] = []
  for (let begun = 0; begun < paid.length; begun += 10) {
    stored.push(...(await Promise.all(paid.slice(begun, begun + 10).map((order, index) => race(order, begun + index)))))
  }
  await eventually(() => {
    const payloads = orders.publishedEvents.filter(({ subject }) => subject === orderInvoiceRequested.subject).map(({ payload }) => payload)
    expect(payloads).toHaveLength(100)
    for (const order of stored) expect(payloads).toContainEqual(expect.objectContaining(order))
  })
})

test('rejects a pending order [10]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.pendingOrder()
  await expect(orders.call(generateOrderInvoice, { id: order.id }, seller)).rejects.toThrow(NotPaidOrder)
})

test('returns not found for another organization’s order and leaves it unchanged', async () => {
  await using orders = await startOrders()
  const { order } = await orders.paidOrder({ billed: true })
  const stranger = organizationCaller(randomUUID())
  await expect(orders.call(generateOrderInvoice, { id: order.id }, stranger)).rejects.toThrow(ResourceNotFound)
  expect(await orders.rows('select invoice_requested_at from orders where id = $1', [order.id])).toEqual([{ invoice_requested_at: null }])
})

test('a generated invoice is shown on the order, and a further request is a conflict [3, 7]', async () => {
  await using orders = await startOrders()
  const { order, seller, organizationId } = await orders.paidOrder({ billed: true })
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  const generated = {
    invoice_id: randomUUID(),
    order_id: order.id,
    number: 'ACME-0001',
    sha256: 'a'.repeat(64),
    generated_at: new Date().toISOString(),
  }
  await orders.emit(invoiceGenerated, generated, { organizationId, aggregateId: generated.invoice_id })
  expect(await orders.nextEvent(orderUpdated)).toMatchObject({ id: order.id, is_invoice_generated: true })
  expect(await orders.call(getOrder, { id: order.id }, seller)).toMatchObject({ is_invoice_generated: true, invoice_number: 'ACME-0001' })
  await expect(orders.call(generateOrderInvoice, { id: order.id }, seller)).rejects.toThrow(InvoiceAlreadyExists)
})

test('an order knows the number of its first invoice also if its replacement is published before', async () => {
  await using orders = await startOrders()
  const { order, seller, organizationId } = await orders.paidOrder({ billed: true })
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  const generate = (number: string, generated_at: string) => {
    const generated = { invoice_id: randomUUID(), order_id: order.id, number, sha256: 'a'.repeat(64), generated_at }
    return orders.emit(invoiceGenerated, generated, { organizationId, aggregateId: generated.invoice_id })
  }
  await generate('ACME-0002', '2026-11-27T10:00:00Z')
  expect(await orders.nextEvent(orderUpdated)).toMatchObject({ invoice_number: 'ACME-0002' })
  for (let count = 0; count < 2; count++) await generate('ACME-0001', '2026-11-27T09:00:00Z')
  await generate('ACME-0003', '2026-11-27T11:00:00Z')
  await eventually(async () =>
    expect(await orders.rows('select invoice_number, replaced_invoice_numbers from orders')).toEqual([
      { invoice_number: 'ACME-0003', replaced_invoice_numbers: ['ACME-0001', 'ACME-0002'] },
    ]),
  )
})

test('a refund that is returned is part of another invoice request, which reverses its credit note', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  expect(await orders.nextEvent(orderInvoiceRequested)).toMatchObject({ refunds: [], reversed_refunds: [] })
  await orders.rows(`update sandbox_objects set token = 'ctoken_refund_bounces' returning 1`)
  const { id, tax_amount } = await orders.call(createRefund, { order_id: order.id, reason: 'other', amount: 1200 }, seller)
  expect(await orders.nextEvent(orderInvoiceRequested)).toMatchObject({ refunds: [{ id }], reversed_refunds: [] })
  expect(await orders.nextEvent(orderInvoiceRequested)).toMatchObject({ refunds: [], reversed_refunds: [{ id, amount: 1200, tax_amount }] })
})
