import { listCustomerPaymentMethods } from '@quittance/contracts/customer-payment-methods'
import { confirmOrderPayment } from '@quittance/contracts/customer-payments'
import { listOrders } from '@quittance/contracts/orders'
import { expect, test } from 'vitest'
import { startStripeShop } from './stripe-shop.ts'
import { advance, after, buyPlan, waitForSubscription } from './subscribe.ts'

test('a buyer pays with a stored card of Stripe what its charge in their absence left unpaid', async () => {
  await using world = await startStripeShop()
  const { orders, fake, shop, stripe } = world
  const token = fake.buyer.createToken(stripe.id, 'pm_card_chargeCustomerFail')
  const bought = await buyPlan(orders, shop, { token })
  const active = await waitForSubscription(orders, bought, { status: 'active' })
  await advance(orders, bought, after(active.current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  const { items: owed } = await orders.call(listOrders, { customer_id: active.customer_id }, bought.seller)
  const id = owed.find(({ status }) => status === 'pending')?.id ?? ''
  const { items: methods } = await orders.call(listCustomerPaymentMethods, {}, bought.buyer)
  expect(methods).toMatchObject([{ card: { last4: '4242' } }])
  const payment = { id, payment_method_id: methods[0]?.id ?? '' }
  expect(await orders.call(confirmOrderPayment, payment, bought.buyer)).toMatchObject({ status: 'succeeded' })
  await waitForSubscription(orders, bought, { status: 'active' })
})
