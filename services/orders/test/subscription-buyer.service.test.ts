import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { updatePortalCustomer } from '@quittance/contracts/portal-customers'
import { updateCustomer } from '@quittance/contracts/customers'
import { listOrders, type Order } from '@quittance/contracts/orders'
import { getSubscription } from '@quittance/contracts/subscriptions'
import { createTaxRate } from '@quittance/contracts/taxes'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { advance, after, createPlan, waitForSubscription } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const
const berlin = { country: 'DE', line1: 'Hauptstr. 1', city: 'Berlin', postal_code: '10115' }
const paris = { country: 'FR', line1: '1 rue de Rivoli', city: 'Paris', postal_code: '75001' }
const frenchTaxId = 'FR83404833048'

/** A seller who charges 19 % in Germany and 20 % in France, where businesses owe the tax. */
async function startTaxedShop(orders: OrdersUnderTest): Promise<Shop> {
  const shop = await orders.shop()
  await orders.call(createTaxRate, { country: 'DE', name: 'USt', percentage: 19 }, shop.seller)
  await orders.call(createTaxRate, { country: 'FR', name: 'TVA', percentage: 20, reverse_charge: true }, shop.seller)
  return shop
}

/** Buys by a checkout at which the e-mail address is only typed; returns the id of the checkout. */
async function buyTyped(
  orders: OrdersUnderTest,
  { seller }: Shop,
  { productId, details }: { productId: string; details: object },
): Promise<string> {
  const { client_secret, id } = await orders.call(createCheckout, { products: [productId] }, seller)
  const confirmation = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok' }
  await orders.call(confirmCheckout, { ...confirmation, ...details }, anonymous)
  return id
}

/** Subscribes as an existing customer whose e-mail address was only typed, as a French business. */
async function subscribeTyped(orders: OrdersUnderTest, shop: Shop) {
  await buyTyped(orders, shop, { productId: shop.product.id, details: { customer_name: 'Ada', customer_billing_address: berlin } })
  const plan = await createPlan(orders, shop.seller, { price: 5000 })
  const business = { customer_name: 'Ada SARL', customer_billing_address: paris, customer_tax_id: frenchTaxId }
  const checkoutId = await buyTyped(orders, shop, { productId: plan.id, details: business })
  const [row] = await orders.rows<{ id: string }>('select id from subscriptions where checkout_id = $1', [checkoutId])
  const subscription = await orders.call(getSubscription, { id: row?.id ?? '' }, shop.seller)
  return waitForSubscription(orders, { ...shop, subscription }, { status: 'active' })
}

/** Advances the clock to the next period and returns its paid order. */
async function renew(
  orders: OrdersUnderTest,
  { seller }: Shop,
  subscription: { id: string; current_period_end: string | null },
): Promise<Order> {
  await advance(orders, { seller }, after(subscription.current_period_end))
  return eventually(async () => {
    const { items } = await orders.call(listOrders, {}, seller)
    const renewal = items.find((order) => order.billing_reason === 'subscription_cycle' && order.subscription_id === subscription.id)
    if (renewal?.status !== 'paid') throw new Error('not renewed yet')
    return renewal
  })
}

test('a renewal has address and tax id of its subscription, not those that the customer typed at another purchase', async () => {
  await using orders = await startOrders()
  const shop = await startTaxedShop(orders)
  const subscription = await subscribeTyped(orders, shop)
  expect(await renew(orders, shop, subscription)).toMatchObject({
    billing_address: paris,
    tax_amount: 0,
    total_amount: 5000,
    taxes: [{ country: 'FR', reverse_charge: true }],
  })
})

test('an address that the customer changed since the last order is that of the renewal', async () => {
  await using orders = await startOrders()
  const shop = await startTaxedShop(orders)
  const subscription = await subscribeTyped(orders, shop)
  const buyer = customerCaller({ organizationId: shop.organizationId, customerId: subscription.customer_id })
  const munich = { ...berlin, line1: 'Marienplatz 1', city: 'München', postal_code: '80331' }
  await orders.call(updatePortalCustomer, { billing_address: munich }, buyer)
  expect(await renew(orders, shop, subscription)).toMatchObject({ billing_address: munich, tax_amount: 950, taxes: [{ country: 'DE' }] })
})

test('a removed tax id ends the reverse charge of renewals', async () => {
  await using orders = await startOrders()
  const shop = await startTaxedShop(orders)
  const subscription = await subscribeTyped(orders, shop)
  const { customer_id: id } = subscription
  await orders.call(updateCustomer, { id, billing_address: paris, tax_id: [frenchTaxId, 'eu_vat'] }, shop.seller)
  await orders.call(updateCustomer, { id, tax_id: null }, shop.seller)
  expect(await renew(orders, shop, subscription)).toMatchObject({
    billing_address: paris,
    tax_amount: 1000,
    taxes: [{ country: 'FR', reverse_charge: false }],
  })
})
