import { confirmCheckout, createCheckout, updateCheckout, updateCheckoutByClient } from '@quittance/contracts/checkouts'
import { createDiscount, updateDiscount } from '@quittance/contracts/discounts'
import { orderPaid } from '@quittance/contracts/orders'
import { createProduct, updateProduct } from '@quittance/contracts/products'
import { subscriptionCreated, updateSubscription } from '@quittance/contracts/subscriptions'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest, type Shop } from './start-orders.ts'
import { buyPlan, waitForSubscription } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

type Price = object

function priced(orders: OrdersUnderTest, { seller }: Shop, price: object) {
  return orders.call(createProduct, { name: 'Priced', recurring_interval: null, prices: [price as never] }, seller)
}

test.each([
  ['no digits', 'jpy', 5000],
  ['two digits', 'eur', 5000],
  ['three digits', 'kwd', 5000],
  ['four digits', 'clf', 50_000],
  ['an amount beyond the limit of usd', 'idr', 150_000_000_00],
])('a sale in a currency of %s (%s) uses its minor units throughout', async (_, currency, amount) => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const product = await priced(orders, shop, { amount_type: 'fixed', price_amount: amount, price_currency: currency })
  expect(product.prices).toMatchObject([{ price_currency: currency, price_amount: amount, tax_behavior: 'exclusive' }])
  const off = { name: 'Off', type: 'fixed' as const, amount: 1000, currency, duration: 'once' as const }
  const discount = await orders.call(createDiscount, off as never, shop.seller)
  const checkout = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, shop.seller)
  expect(checkout).toMatchObject({ currency, amount, discount_amount: 1000, total_amount: amount - 1000 })
  const { client_secret } = checkout
  await orders.call(confirmCheckout, { client_secret, customer_email: 'a@example.com', confirmation_token_id: 'ctoken_ok' }, anonymous)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ currency, subtotal_amount: amount, total_amount: amount - 1000 })
  expect(await orders.rows('select currency, amount::int8::text from payments')).toEqual([{ currency, amount: String(amount - 1000) }])
})

test('a discount applies neither to a price in another currency nor after a change to one', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const euros = await priced(orders, shop, { amount_type: 'fixed', price_amount: 900, price_currency: 'eur' })
  const off = { name: 'Off', type: 'fixed' as const, amount: 100, duration: 'once' as const }
  const discount = await orders.call(createDiscount, off, shop.seller)
  const mixed = orders.call(createCheckout, { products: [euros.id], discount_id: discount.id }, shop.seller)
  await expect(mixed).rejects.toThrow(/body\.discount_id/)
  const products = [shop.product.id, euros.id]
  const checkout = await orders.call(createCheckout, { products, discount_id: discount.id }, shop.seller)
  expect(checkout).toMatchObject({ currency: 'usd', discount_amount: 100 })
  const changed = await orders.call(updateCheckout, { id: checkout.id, product_id: euros.id }, shop.seller)
  expect(changed).toMatchObject({ currency: 'eur', amount: 900, discount_amount: 0, discount_id: null })
  const inEuros = await orders.call(updateDiscount, { id: discount.id, currency: 'eur' }, shop.seller)
  expect(inEuros.currency).toBe('usd')
  const amountInEuros = orders.call(updateDiscount, { id: discount.id, amount: 100, currency: 'eur' }, shop.seller)
  await expect(amountInEuros).rejects.toThrow(/body\.currency/)
})

test.each([
  ['the preset', { minimum_amount: 500, preset_amount: 2500 }, 2500],
  ['ten without a preset', {}, 1000],
  ['the minimum if that is more', { minimum_amount: 5000 }, 5000],
  ['the maximum if that is less', { maximum_amount: 700 }, 700],
])('a custom price starts at %s', async (_, limits, amount) => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const product = await priced(orders, shop, { amount_type: 'custom', ...limits })
  const nothing = { minimum_amount: 50, maximum_amount: null, preset_amount: null }
  expect(product.prices).toMatchObject([{ amount_type: 'custom', price_currency: 'usd', ...nothing, ...limits }])
  expect(await orders.call(createCheckout, { products: [product.id] }, shop.seller)).toMatchObject({ amount })
})

test.each(['usd', 'jpy', 'kwd'])(
  'a custom price in %s without a minimum shows the one that applies, wherever it is shown',
  async (currency) => {
    await using orders = await startOrders()
    const shop = await orders.shop()
    const price = { amount_type: 'custom' as const, price_currency: currency, preset_amount: 700 }
    const plan = { name: 'Supporters', recurring_interval: 'month' as const, prices: [price] as [typeof price] }
    const product = await orders.call(createProduct, plan, shop.seller)
    const shown = { amount_type: 'custom', minimum_amount: 50, maximum_amount: null }
    expect(product.prices).toMatchObject([shown])
    const checkout = await orders.call(createCheckout, { products: [product.id], amount: 50 }, shop.seller)
    expect(checkout).toMatchObject({ amount: 50, product_price: shown, product: { prices: [shown] } })
    const { client_secret } = checkout
    await expect(orders.call(updateCheckoutByClient, { client_secret, amount: 49 }, anonymous)).rejects.toThrow(/amount/)
    const bought = await buyPlan(orders, shop, { productId: product.id })
    expect(await waitForSubscription(orders, bought, { status: 'active' })).toMatchObject({ price: shown, prices: [shown] })
    expect(await orders.nextEvent(orderPaid)).toMatchObject({ product_price: shown })
    expect(await orders.nextEvent(subscriptionCreated)).toMatchObject({ product: { prices: [shown] } })
  },
)

test('the buyer chooses an amount within the limits until the checkout is confirmed', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const product = await priced(orders, shop, { amount_type: 'custom', minimum_amount: 500, maximum_amount: 100_000 })
  const { client_secret } = await orders.call(createCheckout, { products: [product.id], amount: 800 }, shop.seller)
  const name = (amount: number) => orders.call(updateCheckoutByClient, { client_secret, amount }, anonymous)
  expect(await name(1200)).toMatchObject({ amount: 1200, total_amount: 1200 })
  for (const wrong of [499, 100_001]) await expect(name(wrong)).rejects.toThrow(/body\.amount/)
  const kept = await orders.call(updateCheckoutByClient, { client_secret, product_id: product.id, customer_name: 'Ada' }, anonymous)
  expect(kept.amount).toBe(1200)
  const details = { customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_ok', amount: 1500 }
  expect(await orders.call(confirmCheckout, { client_secret, ...details }, anonymous)).toMatchObject({ amount: 1500 })
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ total_amount: 1500, items: [{ amount: 1500 }] })
})

test('an amount for a price of another kind changes nothing', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  expect(await orders.call(createCheckout, { products: [product.id], amount: 50 }, seller)).toMatchObject({ amount: 4200 })
})

test('a subscription renews at the buyer’s amount and cannot change to a custom price', async () => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  const plan = (preset_amount: number) => {
    const prices = [{ amount_type: 'custom' as const, preset_amount }]
    return orders.call(createProduct, { name: 'Supporters', recurring_interval: 'month', prices }, shop.seller)
  }
  const supporters = await plan(700)
  const bought = await buyPlan(orders, shop, { productId: supporters.id })
  const { id, amount } = await waitForSubscription(orders, bought, { status: 'active' })
  expect(amount).toBe(700)
  const other = await plan(800)
  await expect(orders.call(updateSubscription, { id, product_id: other.id }, shop.seller)).rejects.toThrow(/body\.product_id/)
})

test.each<[string, Price, string]>([
  ['an unknown currency', { amount_type: 'fixed', price_amount: 500, price_currency: 'abc' }, 'price_currency'],
  ['a currency in capitals', { amount_type: 'fixed', price_amount: 500, price_currency: 'EUR' }, 'price_currency'],
  ['more than the maximum in usd', { amount_type: 'fixed', price_amount: 100_000_000 }, 'price_amount'],
  ['less than fifty', { amount_type: 'custom', minimum_amount: 49 }, 'minimum_amount'],
  ['a maximum below the minimum', { amount_type: 'custom', minimum_amount: 900, maximum_amount: 800 }, 'maximum_amount'],
  ['a preset outside the limits', { amount_type: 'custom', minimum_amount: 900, preset_amount: 800 }, 'preset_amount'],
  ['a preset above the maximum in usd', { amount_type: 'custom', preset_amount: 1_000_001 }, 'preset_amount'],
])('rejects %s in a new price and in a changed one', async (_, price, field) => {
  await using orders = await startOrders()
  const shop = await orders.shop()
  await expect(priced(orders, shop, price)).rejects.toThrow(new RegExp(`${field}: `))
  const changed = orders.call(updateProduct, { id: shop.product.id, prices: [price as never] }, shop.seller)
  await expect(changed).rejects.toThrow(/body\.prices/)
})
