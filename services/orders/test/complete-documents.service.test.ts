import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { updateCustomerOrder } from '@quittance/contracts/customer-portal'
import { RequestValidationError } from '@quittance/contracts/errors'
import { invoiceSettingsUpdated } from '@quittance/contracts/invoice-settings'
import { orderInvoiceRequested } from '@quittance/contracts/invoice-source'
import { generateOrderInvoice, MissingInvoiceBillingDetails, orderPaid, updateOrder } from '@quittance/contracts/orders'
import { createTaxRate, updateTaxRate } from '@quittance/contracts/taxes'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'

const anonymous = { kind: 'anonymous' } as const
const germany = { country: 'DE', line1: 'Torstraße 1', city: 'Berlin', postal_code: '10119' }
const france = { country: 'FR', line1: '1 rue de Rivoli', city: 'Paris', postal_code: '75001' }
const inState = (state: string) => ({ country: 'US', state, line1: '1 Main St', city: 'Town', postal_code: '11205' })

async function buy(orders: OrdersUnderTest, { seller, product }: Shop, details: object) {
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = {
    client_secret,
    customer_email: `${randomUUID()}@example.com`,
    customer_name: 'Ada',
    confirmation_token_id: 'ctoken_ok',
  }
  await orders.call(confirmCheckout, { ...confirmation, ...details }, anonymous)
  return orders.nextEvent(orderPaid)
}

test('rejects an address whose tax is another, of seller and buyer alike, and writes nothing [documents 3]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const { seller, organizationId } = shop
  await orders.call(createTaxRate, { country: 'DE', name: 'MwSt', percentage: 19 }, seller)
  await orders.call(createTaxRate, { country: 'US', state: 'US-CA', name: 'Sales tax', percentage: 7.25 }, seller)
  const german = await buy(orders, shop, { customer_billing_address: germany })
  const buyer = customerCaller({ organizationId, customerId: german.customer_id })
  for (const billing_address of [france, inState('CA'), null]) {
    const change = { id: german.id, billing_address }
    await expect(orders.call(updateOrder, change, seller)).rejects.toThrow(/billing_address\.country/)
    await expect(orders.call(updateCustomerOrder, change, buyer)).rejects.toThrow(RequestValidationError)
  }
  const californian = await buy(orders, shop, { customer_billing_address: inState('CA') })
  const moved = orders.call(updateOrder, { id: californian.id, billing_address: inState('NY') }, seller)
  await expect(moved).rejects.toThrow(/billing_address\.state/)
  const untaxed = await buy(orders, shop, { customer_billing_address: france })
  await expect(orders.call(updateOrder, { id: untaxed.id, billing_address: germany }, seller)).rejects.toThrow(/tax/)
  const kept = await orders.rows<{ country: string }>(`select billing_address ->> 'country' as country from orders order by created_at`)
  expect(kept.map(({ country }) => country)).toEqual(['DE', 'US', 'FR'])
})

test('takes an address with the same tax, also after a change of its rate [documents 3]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const rate = await orders.call(createTaxRate, { country: 'DE', name: 'MwSt', percentage: 19 }, shop.seller)
  const order = await buy(orders, shop, { customer_billing_address: germany })
  await orders.call(updateTaxRate, { id: rate.id, percentage: 20 }, shop.seller)
  const munich = { ...germany, city: 'München', state: 'Bayern', postal_code: '80331' }
  const changed = await orders.call(updateOrder, { id: order.id, billing_address: munich }, shop.seller)
  expect(changed.billing_address).toMatchObject({ city: 'München', state: 'Bayern' })
  const abroad = await buy(orders, shop, { customer_billing_address: france })
  const austrian = { ...france, country: 'AT', postal_code: '1010' }
  expect(await orders.call(updateOrder, { id: abroad.id, billing_address: austrian }, shop.seller)).toMatchObject({
    billing_address: { country: 'AT' },
  })
})

test('rejects an address in another country than that of the tax ID [documents 4]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const order = await buy(orders, shop, { customer_billing_address: germany, customer_tax_id: 'DE136695976' })
  await expect(orders.call(updateOrder, { id: order.id, billing_address: france }, shop.seller)).rejects.toThrow('tax ID')
})

test('requires a state for an invoice to the United States [documents 14]', async () => {
  await using orders = await startOrders()
  const { order, seller } = await orders.paidOrder({ billed: true })
  const { state: _, ...stateless } = inState('NY')
  await orders.call(updateOrder, { id: order.id, billing_address: stateless }, seller)
  await expect(orders.call(generateOrderInvoice, { id: order.id }, seller)).rejects.toThrow('Missing: billing_address.state.')
})

test('names the settings that the law of the seller demands before an invoice is requested [documents 11]', async () => {
  await using orders = await startOrders()
  const { order, seller, organizationId } = await orders.paidOrder({ billed: true })
  const settings = (missing: string[], missing_when_taxed: string[]) =>
    orders.emit(
      invoiceSettingsUpdated,
      { organization_id: organizationId, missing, missing_when_taxed },
      { organizationId, aggregateId: organizationId },
    )
  const received = (count: number) =>
    eventually(async () =>
      expect(await orders.rows('select from invoice_requirements where cardinality(missing) = $1', [count])).toHaveLength(1),
    )
  await settings(['address.line1', 'tax_id'], [])
  await received(2)
  const request = orders.call(generateOrderInvoice, { id: order.id }, seller)
  await expect(request).rejects.toThrow(MissingInvoiceBillingDetails)
  await expect(request).rejects.toThrow('Missing in the invoice settings: address.line1, tax_id.')
  await settings([], ['tax_id'])
  await received(0)
  await orders.call(generateOrderInvoice, { id: order.id }, seller)
  expect(await orders.nextEvent(orderInvoiceRequested)).toMatchObject({ order_id: order.id })
})

test('the snapshot of an invoice has quantity, unit price and tax of each line [documents 2]', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await orders.call(createTaxRate, { country: 'DE', name: 'MwSt', percentage: 19 }, shop.seller)
  const order = await buy(orders, shop, { customer_billing_address: germany })
  await orders.call(generateOrderInvoice, { id: order.id }, shop.seller)
  const { items, taxes } = await orders.nextEvent(orderInvoiceRequested)
  expect(items).toMatchObject([{ amount: 4200, quantity: 1, unit_amount: 4200, tax_position: 1 }])
  expect(taxes).toHaveLength(1)
})

test('rejects a quantity that a checkout does not sell [documents 16]', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const three = { products: [product.id], quantity: 3 as 1 }
  await expect(orders.call(createCheckout, three, seller)).rejects.toThrow(/body\.quantity/)
  expect(await orders.call(createCheckout, { ...three, quantity: 1 }, seller)).toMatchObject({ amount: 4200 })
})
