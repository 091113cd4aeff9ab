import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout, getCheckoutByClient } from '@quittance/contracts/checkouts'
import { createDiscount } from '@quittance/contracts/discounts'
import { orderPaid } from '@quittance/contracts/orders'
import { getSubscription, revokeSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { aPlan, subscribe, type Subscribed } from './subscribe.ts'

const nobody = { kind: 'anonymous' } as const

async function upgrade(orders: OrdersUnderTest, free: Subscribed, token: string) {
  const { seller, subscription } = free
  const plan = await aPlan(orders, seller, { interval: 'year', price: 9000 })
  const asked = { products: [plan.id], subscription_id: subscription.id }
  const checkout = await orders.call(createCheckout, asked, seller)
  const { client_secret } = checkout
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id: token }, nobody)
  const settled = await eventually(async () => {
    const now = await orders.call(getCheckoutByClient, { client_secret }, nobody)
    if (now.status === 'confirmed') throw new Error('not settled yet')
    return now
  })
  return { plan, checkout, settled, after: await orders.call(getSubscription, { id: subscription.id }, seller) }
}

test('a free subscription becomes the paid one once its checkout is paid, under the same id', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  await orders.nextEvent(orderPaid)
  const { plan, checkout, settled, after } = await upgrade(orders, free, 'ctoken_ok')
  expect(checkout).toMatchObject({ subscription_id: free.subscription.id, customer_id: free.subscription.customer_id, amount: 9000 })
  expect(settled.status).toBe('succeeded')
  expect(after).toMatchObject({ status: 'active', product_id: plan.id, amount: 9000, recurring_interval: 'year' })
  const order = await orders.nextEvent(orderPaid)
  expect(order).toMatchObject({ billing_reason: 'subscription_update', total_amount: 9000, subscription: { product_id: plan.id } })
  expect(await orders.rows('select from subscriptions')).toHaveLength(1)
})

test('an upgrade whose payment is declined leaves the free subscription as it is, and can be tried again', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  const { settled, after } = await upgrade(orders, free, 'ctoken_declined_later')
  expect(settled.status).toBe('open')
  expect(after).toMatchObject({ status: 'active', amount: 0, product_id: free.product.id })
  await orders.call(confirmCheckout, { client_secret: settled.client_secret, confirmation_token_id: 'ctoken_ok' }, nobody)
  await eventually(async () => {
    const now = await orders.call(getSubscription, { id: free.subscription.id }, free.seller)
    expect(now).toMatchObject({ status: 'active', amount: 9000 })
  })
})

test('an upgrade that costs nothing now is made at once', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  const plan = await aPlan(orders, free.seller)
  const all = { name: 'All', type: 'percentage' as const, basis_points: 10_000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, all, free.seller)
  const asked = { products: [plan.id], subscription_id: free.subscription.id, discount_id: discount.id }
  const { client_secret } = await orders.call(createCheckout, asked, free.seller)
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_ok' }, nobody)
  const now = await orders.call(getSubscription, { id: free.subscription.id }, free.seller)
  expect(now).toMatchObject({ status: 'active', product_id: plan.id, amount: 0, discount_id: discount.id })
})

test('what is not a free running subscription of the buyer is refused', async () => {
  await using orders = await startOrders()
  const paid = await subscribe(orders)
  const { seller, product } = paid
  const ask = (more: object) => orders.call(createCheckout, { products: [product.id], ...more }, seller)
  await expect(ask({ subscription_id: paid.subscription.id })).rejects.toThrow(/"body","subscription_id"/)
  await expect(ask({ subscription_id: randomUUID() })).rejects.toThrow('does not exist')
  const free = await subscribe(orders, { price: 0 })
  const plan = await aPlan(orders, free.seller)
  const own = { products: [plan.id], subscription_id: free.subscription.id }
  const other = orders.call(createCheckout, { ...own, customer_id: paid.subscription.customer_id }, free.seller)
  await expect(other).rejects.toThrow('another customer')
  await expect(orders.call(createCheckout, own, seller)).rejects.toThrow(/"products",0/)
  await orders.call(revokeSubscription, { id: free.subscription.id }, free.seller)
  await expect(orders.call(createCheckout, own, free.seller)).rejects.toThrow('has ended')
})
