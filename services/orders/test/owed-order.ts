import { revokeSubscription, updateSubscription, type Subscription } from '@quittance/contracts/subscriptions'
import { eventually } from '@quittance/testing/eventually'
import type { OrdersUnderTest, Shop } from './start-orders.ts'
import { buyPlan, createPlan, waitForSubscription } from './subscribe.ts'

/** Buys a plan, and waits until its first order is paid. */
export async function buyActive(orders: OrdersUnderTest, shop: Shop, email?: string): Promise<Subscription> {
  return waitForSubscription(orders, await buyPlan(orders, shop, email ? { email } : {}), { status: 'active' })
}

/** Ends a subscription of this buyer that owes a change of product, which cannot be charged. Returns the order. */
export async function oweOrder(orders: OrdersUnderTest, shop: Shop, email: string): Promise<string> {
  const { id, customer_id } = await buyActive(orders, shop, email)
  const { id: product_id } = await createPlan(orders, shop.seller, { price: 50_000 })
  await orders.call(updateSubscription, { id, product_id, proration_behavior: 'prorate' }, shop.seller)
  await orders.rows(`update payment_methods set provider_method = 'pm_ctoken_declined_later' where customer_id = $1 returning 1`, [
    customer_id,
  ])
  await orders.call(revokeSubscription, { id }, shop.seller)
  return eventually(async () => {
    const [row] = await orders.rows<{ id: string }>(
      `select id from orders where subscription_id = $1 and next_payment_attempt_at is not null`,
      [id],
    )
    if (!row) throw new Error('not declined yet')
    return row.id
  })
}
