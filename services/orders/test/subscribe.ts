import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { createProduct, getProduct, type Product } from '@quittance/contracts/products'
import { getSubscription, type Subscription } from '@quittance/contracts/subscriptions'
import { advanceTestClock } from '@quittance/contracts/test-clock'
import { customerCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { expect } from 'vitest'
import { asThisRelease } from './money.ts'
import type { OrdersUnderTest, Shop } from './start-orders.ts'

export interface Terms {
  interval?: 'month' | 'year'
  /** 0 creates a free product. */
  price?: number
  token?: string
  discountId?: string
  email?: string
  customerId?: string
  /** An existing product; otherwise a new one. */
  productId?: string
}

export interface Subscribed extends Shop {
  product: Product
  subscription: Subscription
  /** The subscriber's portal session. */
  buyer: Caller
}

/** Creates a recurring product. */
export function createPlan(orders: OrdersUnderTest, seller: Caller, { interval = 'month', price = 1000 }: Terms = {}): Promise<Product> {
  const amount = price === 0 ? { amount_type: 'free' as const } : { amount_type: 'fixed' as const, price_amount: price }
  return orders.call(createProduct, { name: `Plan ${price}`, recurring_interval: interval, prices: [amount] }, seller)
}

/** Buys a product by checkout; the subscription may not be active yet. */
export async function buyPlan(orders: OrdersUnderTest, shop: Shop, terms: Terms = {}): Promise<Subscribed> {
  const { seller, organizationId } = shop
  const product = terms.productId ? await orders.call(getProduct, { id: terms.productId }, seller) : await createPlan(orders, seller, terms)
  const given = {
    products: [product.id],
    metadata: { team: 'red' },
    discount_id: terms.discountId ?? null,
    customer_id: terms.customerId ?? null,
  }
  const { client_secret, id } = await orders.call(createCheckout, given, seller)
  const email = terms.email ?? `${randomUUID()}@example.com`
  const confirmation = { client_secret, customer_email: email, customer_name: 'Ada', confirmation_token_id: terms.token ?? 'ctoken_ok' }
  await orders.call(confirmCheckout, confirmation, { kind: 'anonymous' })
  const [row] = await orders.rows<{ id: string }>('select id from subscriptions where checkout_id = $1', [id])
  const subscription = await orders.call(getSubscription, { id: row?.id ?? '' }, seller)
  const buyer = customerCaller({ organizationId, customerId: subscription.customer_id })
  return { ...shop, product, subscription, buyer }
}

/** The same, but waits until its first order is paid. */
export async function subscribe(orders: OrdersUnderTest, terms: Terms = {}): Promise<Subscribed> {
  const subscribed = await buyPlan(orders, await orders.shop(), terms)
  return { ...subscribed, subscription: await waitForSubscription(orders, subscribed, { status: 'active' }) }
}

/** Waits until the subscription has these values. */
export function waitForSubscription(
  orders: OrdersUnderTest,
  { seller, subscription }: Pick<Subscribed, 'seller' | 'subscription'>,
  wanted: Partial<Subscription>,
): Promise<Subscription> {
  return eventually(async () => {
    const now = await orders.call(getSubscription, { id: subscription.id }, seller)
    for (const [key, value] of Object.entries(wanted)) {
      if (now[key as keyof Subscription] !== value) throw new Error(`${key} is ${JSON.stringify(now[key as keyof Subscription])}`)
    }
    return now
  })
}

/** Returns a time some seconds after a date of the subscription. */
export function after(moment: string | null, days = 0): string {
  return new Date(Date.parse(moment ?? '') + days * 86_400_000 + 5_000).toISOString()
}

/** Advances the organization's clock. */
export async function advance(orders: OrdersUnderTest, { seller }: Pick<Shop, 'seller'>, to: string): Promise<void> {
  await orders.call(advanceTestClock, { to }, seller)
}

/** Advances to the middle of the period. */
export async function advanceToMiddle(orders: OrdersUnderTest, { subscription, seller }: Subscribed): Promise<void> {
  const { current_period_start: start, current_period_end: end } = subscription
  await advance(orders, { seller }, new Date((Date.parse(start) + Date.parse(end ?? '')) / 2).toISOString())
}

/** Changes what the stored methods of all customers do. */
export async function replaceMethods(orders: OrdersUnderTest, token: string): Promise<void> {
  await orders.rows(`update payment_methods set provider_method = $1 returning 1`, [`pm_${token}`])
}

/** Asserts that an order bills the current period of a subscription. */
export async function expectCurrentPeriod(orders: OrdersUnderTest, orderId: string | undefined, subscription: Subscription): Promise<void> {
  const billed = await orders.rows('select period_start, period_end from orders where id = $1', [orderId])
  const { current_period_start: start, current_period_end: end } = subscription
  expect(billed).toEqual([{ period_start: new Date(start), period_end: new Date(end ?? '') }])
}

/** Ends payments in progress: each is declined. */
export async function declineInProgress(orders: OrdersUnderTest): Promise<void> {
  await orders.rows(
    `update sandbox_objects set status = 'declined', token = 'ctoken_insufficient_funds' where status = 'processing' returning 1`,
  )
  await asThisRelease(orders, `update payments set next_check_at = now() where state = 'processing'`)
}
