import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout, getCheckout, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { updatePortalCustomer } from '@quittance/contracts/portal-customers'
import { createCustomer, getCustomer } from '@quittance/contracts/customers'
import { createDiscount } from '@quittance/contracts/discounts'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { listOrders, orderPaid, type Order } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { updateSubscription } from '@quittance/contracts/subscriptions'
import { createTaxRate, deleteTaxRate, getTaxRate, listTaxRates, updateTaxRate, type TaxBehavior } from '@quittance/contracts/taxes'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { advance, after, createPlan, buyPlan, waitForSubscription } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const
const france = { country: 'FR', line1: '1 rue de Rivoli', city: 'Paris', postal_code: '75001' }
const frenchVat = { country: 'FR', name: 'TVA', percentage: 20 }

/** Creates a product at this price in a shop that charges 20 % in France. */
async function taxedShop(orders: OrdersUnderTest, price: { amount: number; behavior: TaxBehavior }): Promise<Shop> {
  const shop = await orders.shop()
  await orders.call(createTaxRate, { ...frenchVat, reverse_charge: true }, shop.seller)
  const prices = [{ amount_type: 'fixed' as const, price_amount: price.amount, tax_behavior: price.behavior }]
  const product = await orders.call(createProduct, { name: 'Taxed', recurring_interval: null, prices }, shop.seller)
  return { ...shop, product }
}

async function buy(orders: OrdersUnderTest, { seller, product }: Shop, details: object): Promise<Order> {
  const { client_secret } = await orders.call(createCheckout, { products: [product.id] }, seller)
  const confirmation = { client_secret, customer_email: `${randomUUID()}@example.com`, confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, { ...confirmation, ...details }, anonymous)
  return orders.nextEvent(orderPaid)
}

test('stores a rate to four decimals, one per place, visible to its organization only', async () => {
  await using orders = await startOrders()
  const { seller, organizationId } = await orders.shop()
  const rate = await orders.call(createTaxRate, { country: 'CA', state: 'CA-QC', name: 'GST + QST', percentage: 14.975 }, seller)
  expect(rate).toMatchObject({ organization_id: organizationId, country: 'CA', state: 'CA-QC', percentage: 14.975, reverse_charge: false })
  await orders.call(createTaxRate, { country: 'CA', name: 'GST', percentage: 5 }, seller)
  const again = orders.call(createTaxRate, { country: 'CA', state: 'CA-QC', name: 'QST', percentage: 9.975 }, seller)
  await expect(again).rejects.toThrow(RequestValidationError)
  await expect(again).rejects.toThrow(/body\.state/)
  const changed = await orders.call(updateTaxRate, { id: rate.id, percentage: 13.5, reverse_charge: true }, seller)
  expect(changed).toMatchObject({ name: 'GST + QST', percentage: 13.5, reverse_charge: true })
  expect(await orders.call(getTaxRate, { id: rate.id }, seller)).toEqual(changed)
  expect((await orders.call(listTaxRates, { country: 'CA' }, seller)).items).toHaveLength(2)
  const stranger = organizationCaller(randomUUID())
  expect((await orders.call(listTaxRates, {}, stranger)).items).toEqual([])
  for (const operation of [getTaxRate, updateTaxRate, deleteTaxRate]) {
    await expect(orders.call(operation, { id: rate.id }, stranger)).rejects.toThrow(ResourceNotFound)
  }
  expect(await orders.call(deleteTaxRate, { id: rate.id }, seller)).toBe(null)
  expect((await orders.call(listTaxRates, {}, seller)).items).toMatchObject([{ state: null }])
})

test('one of concurrent rates of a place is created, the others get a field error', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => orders.call(createTaxRate, frenchVat, seller)))
  const rejections = tries.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(rejections).toHaveLength(9)
  for (const error of rejections) expect(error).toBeInstanceOf(RequestValidationError)
})

test.each([
  ['an unknown country', { country: 'fr' }],
  ['a state of another country', { state: 'US-CA' }],
  ['more than 100 %', { percentage: 100.0001 }],
  ['a negative rate', { percentage: -1 }],
  ['a fifth decimal digit', { percentage: 5.00001 }],
  ['no name', { name: ' ' }],
])('rejects %s as a tax rate', async (_, wrong) => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  await expect(orders.call(createTaxRate, { ...frenchVat, ...wrong }, seller)).rejects.toThrow(RequestValidationError)
})

test('tax is unknown until the buyer’s country is known, and then added to the price', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 10_000, behavior: 'exclusive' })
  const checkout = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  expect(checkout).toMatchObject({ amount: 10_000, tax_amount: null, total_amount: 10_000, taxes: [] })
  const { client_secret } = checkout
  const buyer = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await expect(orders.call(confirmCheckout, buyer, anonymous)).rejects.toThrow(/body\.customer_billing_address/)
  const located = await orders.call(updateCheckoutByClient, { client_secret, customer_billing_address: france }, anonymous)
  const vat = { name: 'TVA', country: 'FR', state: null, percentage: 20, reverse_charge: false }
  const taxes = [{ ...vat, taxable_amount: 10_000, amount: 2000 }]
  expect(located).toMatchObject({ amount: 10_000, net_amount: 10_000, tax_amount: 2000, total_amount: 12_000, taxes })
  await orders.call(confirmCheckout, buyer, anonymous)
  const order = await orders.nextEvent(orderPaid)
  expect(order).toMatchObject({ subtotal_amount: 10_000, net_amount: 10_000, tax_amount: 2000, total_amount: 12_000, taxes })
  expect(order.items).toMatchObject([{ amount: 10_000, discount_amount: 0, tax_amount: 2000 }])
  expect(await orders.rows('select amount from payments')).toEqual([{ amount: '12000' }])
})

test('a plan whose first period is free needs the country of the buyer, and renews with its tax', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 10_000, behavior: 'exclusive' })
  const { seller } = shop
  const plan = await createPlan(orders, seller, { price: 1000 })
  const free = { name: 'First month', type: 'percentage' as const, basis_points: 10_000, duration: 'once' as const }
  const { id: discount_id } = await orders.call(createDiscount, free, seller)
  const once = await orders.call(createCheckout, { products: [shop.product.id], discount_id }, seller)
  expect(once).toMatchObject({ tax_amount: 0, total_amount: 0 })
  const checkout = await orders.call(createCheckout, { products: [plan.id], discount_id }, seller)
  expect(checkout).toMatchObject({ tax_amount: null, total_amount: 0 })
  const buyer = { client_secret: checkout.client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await expect(orders.call(confirmCheckout, buyer, anonymous)).rejects.toThrow(/body\.customer_billing_address/)
  await orders.call(confirmCheckout, { ...buyer, customer_billing_address: france }, anonymous)
  const { items: orderList } = await orders.call(listOrders, {}, seller)
  expect(orderList).toMatchObject([{ status: 'paid', total_amount: 0 }])
  await advance(orders, shop, after(orderList[0]?.subscription?.current_period_end ?? null))
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
    expect(items).toMatchObject([{ total_amount: 0 }, { status: 'paid', net_amount: 1000, tax_amount: 200 }])
  })
})

test('an inclusive price costs what was advertised and contains its tax', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 12_000, behavior: 'inclusive' })
  const order = await buy(orders, shop, { customer_billing_address: france })
  expect(order).toMatchObject({ subtotal_amount: 10_000, net_amount: 10_000, tax_amount: 2000, total_amount: 12_000 })
  expect(order).toMatchObject({ tax_behavior: 'inclusive', items: [{ amount: 10_000, tax_amount: 2000 }] })
  const elsewhere = await buy(orders, shop, { customer_billing_address: { country: 'BR' } })
  expect(elsewhere).toMatchObject({ subtotal_amount: 12_000, tax_amount: 0, total_amount: 12_000, taxes: [] })
})

test('a valid tax id makes the buyer owe the tax if allowed; rejects an invalid one [34]', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 10_000, behavior: 'exclusive' })
  const business = { customer_billing_address: france, customer_tax_id: 'FR 83 404 833 048' }
  const order = await buy(orders, shop, business)
  expect(order).toMatchObject({ tax_amount: 0, total_amount: 10_000 })
  expect(order.taxes).toMatchObject([{ percentage: 20, reverse_charge: true, taxable_amount: 10_000, amount: 0 }])
  expect(await orders.call(getCustomer, { id: order.customer_id }, shop.seller)).toMatchObject({ tax_id: ['FR83404833048', 'eu_vat'] })
  await expect(buy(orders, shop, { ...business, customer_tax_id: 'FR83404833049' })).rejects.toThrow(/body\.customer_tax_id/)
  const created = orders.call(createCheckout, { products: [shop.product.id], customer_tax_id: 'FR83404833048' }, shop.seller)
  await expect(created).rejects.toThrow(/body\.customer_tax_id/)
  const customer = { email: 'b@example.com', tax_id: ['FR83404833049', 'eu_vat'] as [string, string] }
  await expect(orders.call(createCustomer, customer, shop.seller)).rejects.toThrow(/body\.tax_id/)
  expect(await orders.rows('select count(*)::int from orders')).toEqual([{ count: 1 }])
})

test('the rate of a state takes precedence over that of its country', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 10_000, behavior: 'exclusive' })
  await orders.call(createTaxRate, { country: 'US', name: 'Sales tax', percentage: 1 }, shop.seller)
  await orders.call(createTaxRate, { country: 'US', state: 'US-NY', name: 'Sales tax', percentage: 8.875 }, shop.seller)
  const inState = async (state: string) => (await buy(orders, shop, { customer_billing_address: { country: 'US', state } })).tax_amount
  expect([await inState('NY'), await inState('TX')]).toEqual([888, 100])
})

test('a rate that depends on the state is not charged, and not left out, before the state is known', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 10_000, behavior: 'exclusive' })
  await orders.call(createTaxRate, { country: 'US', state: 'US-CA', name: 'Sales tax', percentage: 7.25 }, shop.seller)
  await orders.call(createTaxRate, { country: 'CA', name: 'GST', percentage: 5 }, shop.seller)
  await orders.call(createTaxRate, { country: 'CA', state: 'CA-QC', name: 'GST + QST', percentage: 14.975 }, shop.seller)
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id] }, shop.seller)
  for (const country of ['US', 'CA']) {
    const change = { client_secret, customer_billing_address: { country } }
    expect(await orders.call(updateCheckoutByClient, change, anonymous)).toMatchObject({ tax_amount: null })
    const stateless = buy(orders, shop, { customer_billing_address: { country } })
    await expect(stateless).rejects.toThrow(/body\.customer_billing_address\.state/)
  }
  const inState = async (country: string, state: string | null) =>
    (await buy(orders, shop, { customer_billing_address: { country, state } })).tax_amount
  expect([await inState('US', 'CA'), await inState('US', 'TX'), await inState('CA', 'ON')]).toEqual([725, 0, 500])
  expect(await inState('FR', null)).toBe(2000)
})

test('a changed rate does not affect earlier sales, and refunds return their tax to the cent', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 9999, behavior: 'exclusive' })
  const order = await buy(orders, shop, { customer_billing_address: france })
  expect(order).toMatchObject({ net_amount: 9999, tax_amount: 2000, total_amount: 11_999 })
  const { items: rates } = await orders.call(listTaxRates, {}, shop.seller)
  await orders.call(updateTaxRate, { id: rates[0]?.id as never, percentage: 5 }, shop.seller)
  const refund = (amount: number) => orders.call(createRefund, { order_id: order.id, amount, reason: 'customer_request' }, shop.seller)
  const parts = [await refund(3333), await refund(3333), await refund(3333)].map(({ tax_amount }) => tax_amount)
  expect(parts).toEqual([667, 666, 667])
  const [refunded] = (await orders.call(listOrders, {}, shop.seller)).items
  expect(refunded).toMatchObject({ status: 'refunded', refunded_amount: 9999, refunded_tax_amount: 2000, taxes: order.taxes })
})

test('renewals charge the tax of the customer’s location; subscription amounts exclude it', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await orders.call(createTaxRate, frenchVat, shop.seller)
  const customer = await orders.call(createCustomer, { email: 'ada@example.com', billing_address: france }, shop.seller)
  const bought = await buyPlan(orders, shop, { price: 1000, email: customer.email, customerId: customer.id })
  const active = await waitForSubscription(orders, bought, { status: 'active' })
  expect(active.amount).toBe(1000)
  await advance(orders, shop, after(active.current_period_end))
  const renewal = await eventually(async () => {
    const order = (await orders.call(listOrders, {}, shop.seller)).items.find((each) => each.billing_reason === 'subscription_cycle')
    if (order?.status !== 'paid') throw new Error('not renewed yet')
    return order
  })
  expect(renewal).toMatchObject({ net_amount: 1000, tax_amount: 200, total_amount: 1200, items: [{ amount: 1000, tax_amount: 200 }] })
})

test('a renewal charges the tax of a customer who moved with the tax id of the former country', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await orders.call(createTaxRate, { ...frenchVat, reverse_charge: true }, shop.seller)
  const american = {
    email: 'ada@example.com',
    billing_address: { country: 'US', state: 'NY' },
    tax_id: ['911144442', 'us_ein'] as [string, string],
  }
  const customer = await orders.call(createCustomer, american, shop.seller)
  const bought = await buyPlan(orders, shop, { price: 1000, email: customer.email, customerId: customer.id })
  const { current_period_end: end } = await waitForSubscription(orders, bought, { status: 'active' })
  await orders.call(updatePortalCustomer, { billing_address: france }, bought.buyer)
  await advance(orders, shop, after(end))
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, shop.seller)
    expect(items).toMatchObject([{ tax_amount: 0 }, { status: 'paid', tax_amount: 200, taxes: [{ reverse_charge: false }] }])
  })
})

test('a subscription keeps currency and tax behavior while old prorations are pending', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const bought = await buyPlan(orders, shop, { price: 1000 })
  const { id } = await waitForSubscription(orders, bought, { status: 'active' })
  const plan = (price: object) =>
    orders.call(
      createProduct,
      { name: 'Other plan', recurring_interval: 'month', prices: [{ amount_type: 'fixed', price_amount: 900, ...price }] },
      shop.seller,
    )
  const euros = await plan({ price_currency: 'eur' })
  const inclusive = await plan({ tax_behavior: 'inclusive' })
  for (const { id: product_id } of [euros, inclusive]) {
    await expect(orders.call(updateSubscription, { id, product_id }, shop.seller)).rejects.toThrow(/body\.product_id/)
  }
  const free = await buyPlan(orders, shop, {
    price: 0,
    productId: (await createPlan(orders, shop.seller, { price: 0 })).id,
    token: 'ctoken_ok',
  })
  const rejection = orders.call(updateSubscription, { id: free.subscription.id, product_id: euros.id }, shop.seller)
  await expect(rejection).rejects.toThrow('no payment method')
})

test('the database rejects lines that do not add up and payments in another currency [68]', async () => {
  await using orders = await startOrders()
  const { order } = await orders.paidOrder({ billed: false })
  await expect(orders.rows('update orders set tax_amount = 1, total_amount = total_amount + 1')).rejects.toThrow('do not add up')
  await expect(orders.rows(`update payments set currency = 'eur'`)).rejects.toThrow('is not of what order')
  await expect(orders.rows(`update orders set currency = 'eur' where id = $1`, [order.id])).rejects.toThrow('of another currency')
})

test('a checkout drops a customer’s tax id of another country than the given address', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 10_000, behavior: 'exclusive' })
  const known = { email: 'c@example.com', billing_address: france, tax_id: ['FR83404833048', 'eu_vat'] as [string, string] }
  const { id } = await orders.call(createCustomer, known, shop.seller)
  const request = { products: [shop.product.id], customer_id: id }
  const home = await orders.call(createCheckout, request, shop.seller)
  expect(home).toMatchObject({ customer_tax_id: 'FR83404833048', tax_amount: 0, taxes: [{ reverse_charge: true }] })
  const away = await orders.call(createCheckout, { ...request, customer_billing_address: { country: 'PL' } }, shop.seller)
  expect(await orders.call(getCheckout, { id: away.id }, shop.seller)).toMatchObject({ customer_tax_id: null, tax_amount: 0, taxes: [] })
})

test('an order has no tax id that the buyer removed from the checkout', async () => {
  await using orders = await startOrders()
  const shop = await taxedShop(orders, { amount: 10_000, behavior: 'exclusive' })
  const known = { email: 'd@example.com', billing_address: france, tax_id: ['FR83404833048', 'eu_vat'] as [string, string] }
  const { id } = await orders.call(createCustomer, known, shop.seller)
  const { client_secret } = await orders.call(createCheckout, { products: [shop.product.id], customer_id: id }, shop.seller)
  const privately = { customer_tax_id: '', customer_billing_address: { country: 'DE' } }
  await orders.call(confirmCheckout, { client_secret, ...privately, confirmation_token_id: 'ctoken_ok' }, anonymous)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ billing_address: { country: 'DE' } })
  expect(await orders.rows('select tax_id from orders')).toEqual([{ tax_id: null }])
  expect(await orders.call(getCustomer, { id }, shop.seller)).toMatchObject({ tax_id: known.tax_id })
})
