import { randomUUID } from 'node:crypto'
import { confirmCheckout, createCheckout, ExpiredCheckoutError, getCheckoutByClient } from '@quittance/contracts/checkouts'
import { createDiscount } from '@quittance/contracts/discounts'
import { listOrders, orderPaid } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { createRefund } from '@quittance/contracts/refunds'
import { getSubscription, revokeSubscription, SubscriptionUpdatePending, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { asThisRelease, expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { advance, after, createPlan, replaceMethods, subscribe, waitForSubscription, type Subscribed } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

async function upgrade(orders: OrdersUnderTest, free: Subscribed, token: string) {
  const { seller, subscription } = free
  const plan = await createPlan(orders, seller, { interval: 'year', price: 9000 })
  const request = { products: [plan.id], subscription_id: subscription.id }
  const checkout = await orders.call(createCheckout, request, seller)
  const { client_secret } = checkout
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id: token }, anonymous)
  const settled = await eventually(async () => {
    const now = await orders.call(getCheckoutByClient, { client_secret }, anonymous)
    if (now.status === 'confirmed') throw new Error('not settled yet')
    return now
  })
  return { plan, checkout, settled, after: await orders.call(getSubscription, { id: subscription.id }, seller) }
}

test('a free subscription becomes the paid one under the same id once its checkout is paid', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  await orders.nextEvent(orderPaid)
  const { plan, checkout, settled, after: upgraded } = await upgrade(orders, free, 'ctoken_ok')
  expect(checkout).toMatchObject({ subscription_id: free.subscription.id, customer_id: free.subscription.customer_id, amount: 9000 })
  expect(settled.status).toBe('succeeded')
  expect(upgraded).toMatchObject({ status: 'active', product_id: plan.id, amount: 9000, recurring_interval: 'year' })
  const order = await orders.nextEvent(orderPaid)
  expect(order).toMatchObject({ billing_reason: 'subscription_update', total_amount: 9000, subscription: { product_id: plan.id } })
  expect(await orders.rows('select from subscriptions')).toHaveLength(1)
})

test('a declined upgrade leaves the free subscription unchanged and can be retried', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  const { settled, after: unchanged } = await upgrade(orders, free, 'ctoken_declined_later')
  expect(settled.status).toBe('open')
  expect(unchanged).toMatchObject({ status: 'active', amount: 0, product_id: free.product.id })
  await orders.call(confirmCheckout, { client_secret: settled.client_secret, confirmation_token_id: 'ctoken_ok' }, anonymous)
  await eventually(async () => {
    const now = await orders.call(getSubscription, { id: free.subscription.id }, free.seller)
    expect(now).toMatchObject({ status: 'active', amount: 9000 })
  })
})

test('an upgrade that was declined and given up does not prevent later changes of the product', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  await upgrade(orders, free, 'ctoken_declined_later')
  const { plan, after: paid } = await upgrade(orders, free, 'ctoken_ok')
  expect(paid).toMatchObject({ status: 'active', product_id: plan.id })
  const larger = await createPlan(orders, free.seller, { interval: 'year', price: 12_000 })
  const change = { id: free.subscription.id, product_id: larger.id }
  expect(await orders.call(updateSubscription, change, free.seller)).toMatchObject({ product_id: larger.id })
})

test('a change of the product is rejected while an upgrade is being paid', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  const plan = await createPlan(orders, free.seller, { price: 9000 })
  const request = { products: [plan.id], subscription_id: free.subscription.id }
  const { client_secret } = await orders.call(createCheckout, request, free.seller)
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_pending' }, anonymous)
  const other = await createPlan(orders, free.seller, { price: 0 })
  const change = orders.call(updateSubscription, { id: free.subscription.id, product_id: other.id }, free.seller)
  await expect(change).rejects.toThrow(SubscriptionUpdatePending)
})

test('what a free subscription still owes is charged with its paid upgrade, not a period later', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders, { price: 1000 })
  const { seller, subscription } = subscribed
  const { id, current_period_start: start, current_period_end: end } = subscription
  const change = async (price: number) => {
    const { id: product_id } = await createPlan(orders, seller, { price })
    await orders.call(updateSubscription, { id, product_id, proration_behavior: 'prorate' }, seller)
  }
  await change(5000)
  await advance(orders, subscribed, after(start, 20))
  await change(0)
  const plan = await createPlan(orders, seller, { interval: 'year', price: 9000 })
  const { client_secret } = await orders.call(createCheckout, { products: [plan.id], subscription_id: id }, seller)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await advance(orders, subscribed, after(end))
  await waitForSubscription(orders, subscribed, { status: 'past_due' })
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_ok' }, anonymous)
  await waitForSubscription(orders, subscribed, { status: 'active', amount: 9000 })
  expect((await orders.call(listOrders, {}, seller)).items.filter(({ status }) => status === 'pending')).toEqual([])
  await expectMoneyToAddUp(orders)
})

test('of two upgrades of one subscription the first that is paid counts, and the money of the other is returned', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  const plans = [await createPlan(orders, free.seller, { price: 9000 }), await createPlan(orders, free.seller, { price: 5000 })]
  const checkouts = await Promise.all(
    plans.map(({ id }) => orders.call(createCheckout, { products: [id], subscription_id: free.subscription.id }, free.seller)),
  )
  for (const { client_secret } of checkouts) {
    await orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_pending' }, anonymous)
  }
  const succeed = async (amount: number) => {
    await orders.rows(`update sandbox_objects set status = 'succeeded' where amount = $1 returning 1`, [amount])
    await asThisRelease(orders, 'update payments set next_check_at = now() where settled_at is null')
  }
  await succeed(9000)
  await waitForSubscription(orders, free, { product_id: plans[0]?.id as string, amount: 9000 })
  await succeed(5000)
  await eventually(async () => expect(await orders.rows('select from payments where surplus_at is not null')).toHaveLength(1))
  expect(await orders.call(getSubscription, { id: free.subscription.id }, free.seller)).toMatchObject({
    product_id: plans[0]?.id,
    amount: 9000,
  })
  await expectMoneyToAddUp(orders)
})

test('a checkout whose subscription has ended or is paid since cannot be confirmed: 410, and no money is taken', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  const plan = await createPlan(orders, free.seller, { price: 9000 })
  const request = { products: [plan.id], subscription_id: free.subscription.id }
  const open = async () => (await orders.call(createCheckout, request, free.seller)).client_secret
  const [first, second, third] = [await open(), await open(), await open()]
  const confirm = (client_secret: string) => orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_ok' }, anonymous)
  await confirm(first)
  await waitForSubscription(orders, free, { amount: 9000 })
  await expect(confirm(second)).rejects.toThrow(ExpiredCheckoutError)
  await orders.call(revokeSubscription, { id: free.subscription.id }, free.seller)
  await expect(confirm(third)).rejects.toThrow(ExpiredCheckoutError)
  expect(await orders.rows('select from payments')).toHaveLength(1)
})

test('an upgrade that costs nothing now applies at once', async () => {
  await using orders = await startOrders()
  const free = await subscribe(orders, { price: 0 })
  const plan = await createPlan(orders, free.seller)
  const all = { name: 'All', type: 'percentage' as const, basis_points: 10_000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, all, free.seller)
  const request = { products: [plan.id], subscription_id: free.subscription.id, discount_id: discount.id }
  const { client_secret } = await orders.call(createCheckout, request, free.seller)
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_ok' }, anonymous)
  const now = await orders.call(getSubscription, { id: free.subscription.id }, free.seller)
  expect(now).toMatchObject({ status: 'active', product_id: plan.id, amount: 0, discount_id: discount.id })
})

test('rejects all but a free running subscription of the buyer', async () => {
  await using orders = await startOrders()
  const paid = await subscribe(orders)
  const { seller, product } = paid
  const requestUpgrade = (more: object) => orders.call(createCheckout, { products: [product.id], ...more }, seller)
  await expect(requestUpgrade({ subscription_id: paid.subscription.id })).rejects.toThrow(/body\.subscription_id/)
  await expect(requestUpgrade({ subscription_id: randomUUID() })).rejects.toThrow('does not exist')
  const free = await subscribe(orders, { price: 0 })
  const plan = await createPlan(orders, free.seller)
  const own = { products: [plan.id], subscription_id: free.subscription.id }
  const other = orders.call(createCheckout, { ...own, customer_id: paid.subscription.customer_id }, free.seller)
  await expect(other).rejects.toThrow('another customer')
  await expect(orders.call(createCheckout, own, seller)).rejects.toThrow(/products\.0/)
  await orders.call(revokeSubscription, { id: free.subscription.id }, free.seller)
  await expect(orders.call(createCheckout, own, free.seller)).rejects.toThrow('has ended')
})

test('a checkout that upgrades offers recurring products only: the payment of another one could not be settled', async () => {
  await using orders = await startOrders()
  const { seller, subscription } = await subscribe(orders, { price: 0 })
  const plan = await createPlan(orders, seller)
  const prices = [{ amount_type: 'fixed' as const, price_amount: 700 }]
  const book = await orders.call(createProduct, { name: 'Book', recurring_interval: null, prices }, seller)
  const upgrading = orders.call(createCheckout, { products: [plan.id, book.id], subscription_id: subscription.id }, seller)
  await expect(upgrading).rejects.toThrow(/body\.subscription_id.*not recurring/)
  await expect(orders.call(createCheckout, { products: [plan.id, book.id] }, seller)).resolves.toMatchObject({ status: 'open' })
})

test('credit in another currency is released by an upgrade, not used by its orders', async () => {
  await using orders = await startOrders()
  const paid = await subscribe(orders, { price: 10_000 })
  const { seller, subscription } = paid
  const nothing = await createPlan(orders, seller, { price: 0 })
  await orders.call(updateSubscription, { id: subscription.id, product_id: nothing.id }, seller)
  expect(await orders.rows('select from prorations where order_id is null and amount < 0')).toHaveLength(1)
  const euros = { amount_type: 'fixed' as const, price_amount: 9000, price_currency: 'eur' as const }
  const plan = await orders.call(createProduct, { name: 'Euro plan', recurring_interval: 'month', prices: [euros] }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [plan.id], subscription_id: subscription.id }, seller)
  await orders.call(confirmCheckout, { client_secret, confirmation_token_id: 'ctoken_ok' }, anonymous)
  const upgraded = await waitForSubscription(orders, paid, { amount: 9000, currency: 'eur' })
  expect(await orders.rows('select from prorations where released_at is null')).toEqual([])
  await advance(orders, paid, after(upgraded.current_period_end))
  await eventually(async () => {
    const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
    expect(items.map(({ status, total_amount, currency }) => [status, total_amount, currency])).toEqual([
      ['paid', 10_000, 'usd'],
      ['paid', 9000, 'eur'],
      ['paid', 9000, 'eur'],
    ])
  })
  const { items } = await orders.call(listOrders, { sorting: ['created_at'] }, seller)
  expect(await orders.call(createRefund, { order_id: items[0]?.id ?? '', reason: 'other', amount: 9900 }, seller)).toMatchObject({
    currency: 'usd',
  })
})
