import { benefitGrantCreated, benefitGrantCycled, benefitGrantRevoked, benefitGrantUpdated } from '@quittance/contracts/benefit-grants'
import { getCustomerState } from '@quittance/contracts/customer-state'
import { updateProductBenefits } from '@quittance/contracts/products'
import { revokeSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { shopWithBenefits } from './sell-benefits.ts'
import { advance, after, aPlan, buyPlan, untilSubscription, type Terms } from './subscribe.ts'

/** A shop with two benefits, and a plan that has the first of them. */
async function planWithBenefits(orders: OrdersUnderTest, terms: Terms = {}) {
  const shop = await shopWithBenefits(orders, ['Forum', 'Support'])
  const [forum, support] = shop.benefits.map(({ id }) => id) as [string, string]
  const plan = await aPlan(orders, shop.seller, terms)
  await orders.call(updateProductBenefits, { id: plan.id, benefits: [forum] }, shop.seller)
  const bought = await buyPlan(orders, shop, { ...terms, productId: plan.id })
  const subscription = await untilSubscription(orders, bought, { status: 'active' })
  const granted = async () =>
    (await orders.call(getCustomerState, { id: subscription.customer_id }, shop.seller)).granted_benefits.map(
      ({ benefit_id }) => benefit_id,
    )
  return { ...bought, subscription, forum, support, granted }
}

test('benefits come when the subscription is active, go on with every paid period, and go when it ends', async () => {
  await using orders = await startOrders()
  const { subscription, seller, forum, granted } = await planWithBenefits(orders)
  const { id, current_period_end } = subscription
  expect(await orders.nextEvent(benefitGrantCreated)).toMatchObject({ benefit_id: forum, subscription_id: id, order_id: null })
  expect(await granted()).toEqual([forum])
  await advance(orders, { seller }, after(current_period_end))
  expect(await orders.nextEvent(benefitGrantCycled)).toMatchObject({ benefit_id: forum, subscription_id: id })
  await orders.call(revokeSubscription, { id }, seller)
  expect(await orders.nextEvent(benefitGrantRevoked)).toMatchObject({ benefit_id: forum, is_revoked: true })
  expect(await granted()).toEqual([])
})

test('a renewal that is not paid takes the benefits, and paid at last gives them back', async () => {
  await using orders = await startOrders()
  const bought = await planWithBenefits(orders, { token: 'ctoken_once' })
  const { subscription, granted, forum } = bought
  await advance(orders, bought, after(subscription.current_period_end))
  await untilSubscription(orders, bought, { status: 'past_due' })
  expect(await granted()).toEqual([])
  await orders.rows(`update subscriptions set payment_token = 'ctoken_ok'`)
  await advance(orders, bought, after(subscription.current_period_end, 2))
  expect(await orders.nextEvent(benefitGrantUpdated)).toMatchObject({ benefit_id: forum, is_granted: true })
  await eventually(async () => expect(await granted()).toEqual([forum]))
})

test('another product brings its benefits, and keeps what both have', async () => {
  await using orders = await startOrders()
  const { subscription, seller, forum, support, granted } = await planWithBenefits(orders)
  const both = await aPlan(orders, seller, { price: 2000 })
  await orders.call(updateProductBenefits, { id: both.id, benefits: [forum, support] }, seller)
  await orders.call(updateSubscription, { id: subscription.id, product_id: both.id }, seller)
  expect((await granted()).toSorted()).toEqual([forum, support].toSorted())
  expect(orders.said.filter(({ subject }) => subject === benefitGrantRevoked.subject)).toHaveLength(0)
  const bare = await aPlan(orders, seller, { price: 500 })
  await orders.call(updateSubscription, { id: subscription.id, product_id: bare.id }, seller)
  expect(await granted()).toEqual([])
})
