import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { expect } from 'vitest'
import { openShop, type PlacedOrder } from './shop.ts'

let created = 0

/** Sells to a new customer, and returns what was bought and a link of the seller to the customer's portal. */
export async function sellToCustomer(system: RunningSystem, product: { id: string }, token = 'ctoken_ok') {
  const shop = openShop(system)
  const email = `reader-${(created += 1)}-${system.demo.organization.slug}@example.com`
  const customer = await shop.create('/v1/customers/', { email, name: 'Lib Rary' })
  const checkout = await shop.checkout({ products: [product.id], customer_id: customer.id })
  const confirmation = { confirmation_token_id: token, customer_billing_address: { country: 'DE' } }
  expect((await system.api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, confirmation)).status).toBe(200)
  const order = await eventually(async () => {
    const [placed] = await shop.orders(checkout)
    expect(placed?.status).toBe('paid')
    return placed as PlacedOrder
  })
  return { email, customer, order, ...(await createPortalLink(system, customer)) }
}

/** Sells a plan to a new customer whose first renewal is declined, and returns the order that is owed. The token pays once. */
export async function sellAndDecline(system: RunningSystem, plan: { id: string }, token = 'ctoken_once') {
  const sold = await sellToCustomer(system, plan, token)
  const { current_period_end: end } = (await system.api('GET', `/v1/subscriptions/${sold.order.subscription_id}`)).body
  const to = new Date(Date.parse(end) + 5_000).toISOString()
  expect((await system.api('POST', '/v1/test-clock/advance', { to })).status).toBe(200)
  const owed = await eventually(async () => {
    const { body } = await system.api('GET', `/v1/subscriptions/${sold.order.subscription_id}`)
    expect(body.status).toBe('past_due')
    const { items } = (await system.api('GET', `/v1/orders/?customer_id=${sold.customer.id}`)).body
    const pending = (items as PlacedOrder[]).find(({ status }) => status === 'pending')
    expect(pending).toBeDefined()
    return pending as PlacedOrder
  })
  return { ...sold, owed }
}

/** Returns a link of the seller to the portal of a customer, and the token in it. */
async function createPortalLink(system: RunningSystem, { id }: { id: string }): Promise<{ url: string; token: string }> {
  const { customer_portal_url: url, token } = await openShop(system).create<{ customer_portal_url: string; token: string }>(
    '/v1/customer-sessions/',
    { customer_id: id },
  )
  return { url, token }
}
