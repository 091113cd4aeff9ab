import { confirmOrderPayment } from '@quittance/contracts/customer-payments'
import { createDiscount } from '@quittance/contracts/discounts'
import { retryOrderPayment } from '@quittance/contracts/order-payments'
import { listOrders } from '@quittance/contracts/orders'
import { updatePaymentSettings } from '@quittance/contracts/payment-settings'
import { revokeSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { expectMoneyToAddUp } from './money.ts'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { deliverEvent, startStripeShop } from './stripe-shop.ts'
import {
  advance,
  after,
  buyPlan,
  createPlan,
  declineInProgress,
  expectCurrentPeriod,
  replaceMethods,
  subscribe,
  waitForSubscription,
} from './subscribe.ts'
import type { Subscribed } from './subscribe.ts'

const listAll = async (orders: OrdersUnderTest, { seller }: Pick<Subscribed, 'seller'>) => (await orders.call(listOrders, {}, seller)).items

async function findOwed(orders: OrdersUnderTest, subscribed: Subscribed): Promise<string> {
  return (await listAll(orders, subscribed)).find(({ status }) => status === 'pending')?.id ?? ''
}

/** Returns a subscription that owes the month that a change from a yearly product began, by the release before, which undoes no change. */
async function oweChangedInterval(orders: OrdersUnderTest): Promise<Subscribed & { owed: string }> {
  const subscribed = await subscribe(orders, { interval: 'year', price: 10_000 })
  const { subscription, seller } = subscribed
  await orders.call(updatePaymentSettings, { retry_after_days: [1], after_last_try: 'unpaid' }, seller)
  await replaceMethods(orders, 'ctoken_pending')
  const { id: product_id } = await createPlan(orders, seller, { price: 1000 })
  await orders.call(updateSubscription, { id: subscription.id, product_id, proration_behavior: 'none' }, seller)
  await orders.rows('delete from unpaid_changes returning 1')
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  await declineInProgress(orders)
  const late = await waitForSubscription(orders, subscribed, { status: 'past_due' })
  return { ...subscribed, subscription: late, owed: await findOwed(orders, subscribed) }
}

/** Lets the buyer pay the order on this day, and expects that its period begins then and that nothing else is billed. */
async function expectPeriodFromPayment(orders: OrdersUnderTest, { owed, ...subscribed }: Subscribed & { owed: string }, day: string) {
  await advance(orders, subscribed, day)
  const count = (await listAll(orders, subscribed)).length
  await orders.call(confirmOrderPayment, { id: owed, confirmation_token_id: 'ctoken_ok' }, subscribed.buyer)
  const paid = await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(Math.abs(Date.parse(paid.current_period_start) - Date.parse(day))).toBeLessThan(60_000)
  await expectCurrentPeriod(orders, owed, paid)
  await advance(orders, subscribed, after(day, 27))
  expect(await listAll(orders, subscribed)).toHaveLength(count)
  await advance(orders, subscribed, after(paid.current_period_end))
  await eventually(async () => expect(await listAll(orders, subscribed)).toHaveLength(count + 1))
  await waitForSubscription(orders, subscribed, { status: 'active', current_period_start: paid.current_period_end as string })
  await expectMoneyToAddUp(orders)
}

test('neither buyer nor seller can pay the period of a changed interval after its subscription ended', async () => {
  await using orders = await startOrders()
  const { owed, ...owing } = await oweChangedInterval(orders)
  await replaceMethods(orders, 'ctoken_ok')
  await orders.call(revokeSubscription, { id: owing.subscription.id }, owing.seller)
  await expect(orders.call(retryOrderPayment, { id: owed }, owing.seller)).rejects.toThrow('has ended')
  const request = { id: owed, confirmation_token_id: 'ctoken_ok' }
  await expect(orders.call(confirmOrderPayment, request, owing.buyer)).rejects.toThrow('has ended')
  expect(await orders.rows(`select from payments where initiator in ('seller', 'buyer_again')`)).toEqual([])
})

test('an unpaid change of interval that is paid later pays for the period that begins that day', async () => {
  await using orders = await startOrders()
  const owing = await oweChangedInterval(orders)
  const { current_period_start } = owing.subscription
  await advance(orders, owing, after(current_period_start, 2))
  await waitForSubscription(orders, owing, { status: 'unpaid' })
  await expectPeriodFromPayment(orders, owing, after(current_period_start, 75))
})

test('a past due subscription that is paid after its period begins the period of the order that day', async () => {
  await using orders = await startOrders()
  const subscribed = await subscribe(orders)
  const { current_period_end: end } = subscribed.subscription
  await orders.call(updatePaymentSettings, { retry_after_days: [14, 14, 14] }, subscribed.seller)
  await replaceMethods(orders, 'ctoken_insufficient_funds')
  for (const [count, days] of [0, 15, 29.2].entries()) {
    await advance(orders, subscribed, after(end, days))
    const declined = `select from subscriptions where failed_charges = ${count + 1} and due_at is not null`
    await eventually(async () => expect(await orders.rows(declined)).toHaveLength(1))
  }
  const owed = await findOwed(orders, subscribed)
  await expectPeriodFromPayment(orders, { ...subscribed, owed }, after(end, 40))
})

test('a free first period begins once the payment method is stored', async () => {
  await using world = await startStripeShop()
  const { orders, shop, fake, stripe } = world
  const free = { name: 'First month', type: 'percentage' as const, basis_points: 10_000, duration: 'once' as const }
  const { id: discountId } = await orders.call(createDiscount, free, shop.seller)
  const token = fake.buyer.createToken(stripe.id, 'pm_card_authenticationRequiredOnSetup')
  const subscribed = await buyPlan(orders, shop, { discountId, token })
  const { current_period_start, status } = subscribed.subscription
  expect(status).toBe('incomplete')
  await advance(orders, subscribed, after(current_period_start, 5))
  fake.buyer.completeAction(stripe.id, [...fake.state(stripe.id).setupIntents.keys()][0] ?? '')
  await deliverEvent(world, 'setup_intent.succeeded')
  const begun = await waitForSubscription(orders, subscribed, { status: 'active' })
  expect(Date.parse(begun.current_period_start)).toBe(Date.parse(begun.started_at ?? ''))
  expect(Date.parse(begun.current_period_start) - Date.parse(current_period_start)).toBeGreaterThan(4 * 86_400_000)
  const [order] = await listAll(orders, subscribed)
  await expectCurrentPeriod(orders, order?.id, begun)
})
