import type { RequestInput } from '@quittance/contracts/operation'
import { checkoutUpdated, confirmCheckout, createCheckout, getCheckoutByClient } from '@quittance/contracts/checkouts'
import { createDiscount, getDiscount } from '@quittance/contracts/discounts'
import { orderPaymentFailed } from '@quittance/contracts/order-payments'
import { orderCreated, orderPaid, orderUpdated } from '@quittance/contracts/orders'
import { createProduct } from '@quittance/contracts/products'
import { subscriptionActive, subscriptionCreated, subscriptionUpdated } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { createPlan } from './subscribe.ts'

const anonymous = { kind: 'anonymous' } as const

type Confirmation = Partial<RequestInput<typeof confirmCheckout>>

/** Confirms, and waits until the checkout is open again or has succeeded. */
async function confirm(orders: OrdersUnderTest, client_secret: string, details: Confirmation): Promise<string> {
  await orders.call(confirmCheckout, { client_secret, customer_email: 'ada@example.com', ...details }, anonymous)
  return eventually(async () => {
    const { status } = await orders.call(getCheckoutByClient, { client_secret }, anonymous)
    if (status === 'confirmed') throw new Error('not settled yet')
    return status
  })
}

const declined = { confirmation_token_id: 'ctoken_declined_later' }
const accepted = { confirmation_token_id: 'ctoken_ok' }

test('a payment declined at the charge reopens the checkout and releases the redemption', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const off = { name: 'One', type: 'percentage' as const, basis_points: 1000, duration: 'once' as const, max_redemptions: 1, code: 'ONE' }
  const discount = await orders.call(createDiscount, off, seller)
  const { client_secret, expires_at } = await orders.call(createCheckout, { products: [product.id] }, seller)
  expect(await confirm(orders, client_secret, { ...declined, discount_code: 'ONE' })).toBe('open')
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 0 })
  const reopened = await orders.call(getCheckoutByClient, { client_secret }, anonymous)
  expect(reopened).toMatchObject({ status: 'open', discount_amount: 420, customer_email: 'ada@example.com' })
  expect(Date.parse(reopened.expires_at)).toBeGreaterThan(Date.parse(expires_at))
  expect(await orders.rows('select status from orders')).toEqual([{ status: 'pending' }])

  expect(await confirm(orders, client_secret, accepted)).toBe('succeeded')
  const paid = await orders.nextEvent(orderPaid)
  expect(paid).toMatchObject({ status: 'paid', discount_amount: 420, items: [{ amount: 4200, discount_amount: 420 }] })
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 1 })
  expect(await orders.rows('select id from orders')).toEqual([{ id: paid.id }])
  expect(await orders.rows('select status from payments order by created_at')).toEqual([{ status: 'failed' }, { status: 'succeeded' }])
  const subjects = orders.publishedEvents.map(({ subject }) => subject)
  const ofOrder = [orderCreated, orderPaymentFailed, orderUpdated, orderUpdated, orderPaid].map(({ subject }) => subject)
  expect(subjects.filter((subject) => subject.startsWith('event.order.'))).toEqual(ofOrder)
  // Published alongside the events of the order, not before them.
  await eventually(() => expect(orders.publishedEvents.filter(({ subject }) => subject === checkoutUpdated.subject)).toHaveLength(4))
})

test('a retry with another product turns the order into one of only that product', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const euros = [{ amount_type: 'fixed' as const, price_amount: 900, price_currency: 'eur' as const }]
  const other = await orders.call(createProduct, { name: 'Other', recurring_interval: null, prices: euros }, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id, other.id] }, seller)
  expect(await confirm(orders, client_secret, declined)).toBe('open')
  expect(await confirm(orders, client_secret, { ...declined, customer_name: 'Ada' })).toBe('open')
  expect(await confirm(orders, client_secret, { ...accepted, product_id: other.id })).toBe('succeeded')
  const order = await orders.nextEvent(orderPaid)
  expect(order).toMatchObject({ product_id: other.id, currency: 'eur', total_amount: 900, items: [{ label: 'Other', amount: 900 }] })
  expect(await orders.rows('select count(*)::int from order_items')).toEqual([{ count: 1 }])
  const payments = await orders.rows('select status, amount::int, currency from payments order by created_at')
  const declinedPayment = { status: 'failed', amount: 4200, currency: 'usd' }
  expect(payments).toEqual([declinedPayment, declinedPayment, { status: 'succeeded', amount: 900, currency: 'eur' }])
})

test('a subscription whose first payment is declined never starts; a retry starts another', async () => {
  await using orders = await startOrders()
  const { seller } = await orders.shop()
  const plan = await createPlan(orders, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [plan.id] }, seller)
  expect(await confirm(orders, client_secret, declined)).toBe('open')
  const first = await orders.nextEvent(subscriptionCreated)
  expect(await orders.nextEvent(subscriptionUpdated)).toMatchObject({ id: first.id, status: 'incomplete_expired' })
  expect(await confirm(orders, client_secret, accepted)).toBe('succeeded')
  const second = await orders.nextEvent(subscriptionActive)
  expect(second.id).not.toBe(first.id)
  expect(await orders.nextEvent(orderPaid)).toMatchObject({ subscription_id: second.id, billing_reason: 'subscription_create' })
  expect(await orders.rows('select status from subscriptions order by created_at')).toEqual([
    { status: 'incomplete_expired' },
    { status: 'active' },
  ])
})

test('handles a declined payment once, even if the service crashes', async () => {
  await using orders = await startOrders()
  const { seller, product } = await orders.shop()
  const off = { name: 'Two', type: 'percentage' as const, basis_points: 1000, duration: 'once' as const }
  const discount = await orders.call(createDiscount, off, seller)
  const { client_secret } = await orders.call(createCheckout, { products: [product.id], discount_id: discount.id }, seller)
  const pending = { client_secret, customer_email: 'ada@example.com', confirmation_token_id: 'ctoken_pending' }
  await orders.call(confirmCheckout, pending, anonymous)
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 1 })
  // The provider replied that it is in progress: nothing else writes the row from here on.
  await eventually(async () =>
    expect(await orders.rows(`select from payments where state = 'processing' and leased_until is null`)).toHaveLength(1),
  )
  await orders.rows(`update sandbox_objects set status = 'declined' returning 1`)
  await orders.rows(`update payments set next_check_at = now(), leased_until = now() + interval '1 second'`)
  await orders.restart()
  await eventually(async () => {
    expect(await orders.call(getCheckoutByClient, { client_secret }, anonymous)).toMatchObject({ status: 'open' })
  })
  expect(await orders.call(getDiscount, { id: discount.id }, seller)).toMatchObject({ redemptions_count: 0 })
})
