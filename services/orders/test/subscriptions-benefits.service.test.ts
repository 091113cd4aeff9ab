import { benefitGrantCreated, benefitGrantCycled, benefitGrantRevoked, benefitGrantUpdated } from '@quittance/contracts/benefit-grants'
import { getCustomerState } from '@quittance/contracts/customer-state'
import { updateProductBenefits } from '@quittance/contracts/products'
import { revokeSubscription, updateSubscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startOrders, type OrdersUnderTest } from './start-orders.ts'
import { createBenefitShop } from './sell-benefits.ts'
import { advance, after, createPlan, buyPlan, replaceMethods, waitForSubscription, type Terms } from './subscribe.ts'

/** Creates a shop with two benefits, and a plan with the first of them. */
async function planWithBenefits(orders: OrdersUnderTest, terms: Terms = {}) {
  const shop = await createBenefitShop(orders, ['Forum', 'Support'])
  const [forum, support] = shop.benefits.map(({ id }) => id) as [string, string]
  const plan = await createPlan(orders, shop.seller, terms)
  await orders.call(updateProductBenefits, { id: plan.id, benefits: [forum] }, shop.seller)
  const bought = await buyPlan(orders, shop, { ...terms, productId: plan.id })
  const subscription = await waitForSubscription(orders, bought, { status: 'active' })
  const granted = async () =>
    (await orders.call(getCustomerState, { id: subscription.customer_id }, shop.seller)).granted_benefits.map(
      ({ benefit_id }) => benefit_id,
    )
  return { ...bought, subscription, forum, support, granted }
}

test('grants benefits with the active subscription, continues them per period, ends them', async () => {
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

test('an unpaid renewal revokes the benefits, and a late payment grants them again', async () => {
  await using orders = await startOrders()
  const bought = await planWithBenefits(orders, { token: 'ctoken_once' })
  const { subscription, granted, forum } = bought
  await advance(orders, bought, after(subscription.current_period_end))
  await waitForSubscription(orders, bought, { status: 'past_due' })
  expect(await granted()).toEqual([])
  await replaceMethods(orders, 'ctoken_ok')
  await advance(orders, bought, after(subscription.current_period_end, 2))
  expect(await orders.nextEvent(benefitGrantUpdated)).toMatchObject({ benefit_id: forum, is_granted: true })
  await eventually(async () => expect(await granted()).toEqual([forum]))
})

test('a change of product grants its benefits and keeps the common ones', async () => {
  await using orders = await startOrders()
  const { subscription, seller, forum, support, granted } = await planWithBenefits(orders)
  const both = await createPlan(orders, seller, { price: 2000 })
  await orders.call(updateProductBenefits, { id: both.id, benefits: [forum, support] }, seller)
  await orders.call(updateSubscription, { id: subscription.id, product_id: both.id }, seller)
  expect((await granted()).toSorted()).toEqual([forum, support].toSorted())
  expect(orders.publishedEvents.filter(({ subject }) => subject === benefitGrantRevoked.subject)).toHaveLength(0)
  const bare = await createPlan(orders, seller, { price: 500 })
  await orders.call(updateSubscription, { id: subscription.id, product_id: bare.id }, seller)
  expect(await granted()).toEqual([])
})
