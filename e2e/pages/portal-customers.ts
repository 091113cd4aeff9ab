import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { expect } from 'vitest'
import { openShop, type PlacedOrder } from './shop.ts'

let created = 0

/** Sells to a new customer, and returns what was bought and a link of the seller to the customer's portal. */
export async function sellToCustomer(system: RunningSystem, product: { id: string }) {
  const shop = openShop(system)
  const email = `reader-${(created += 1)}-${system.demo.organization.slug}@example.com`
  const customer = await shop.create('/v1/customers/', { email, name: 'Lib Rary' })
  const checkout = await shop.checkout({ products: [product.id], customer_id: customer.id })
  const confirmation = { confirmation_token_id: 'ctoken_ok', customer_billing_address: { country: 'DE' } }
  expect((await system.api('POST', `/v1/checkouts/client/${checkout.client_secret}/confirm`, confirmation)).status).toBe(200)
  const order = await eventually(async () => {
    const [placed] = await shop.orders(checkout)
    expect(placed?.status).toBe('paid')
    return placed as PlacedOrder
  })
  return { email, customer, order, ...(await createPortalLink(system, customer)) }
}

/** Returns a link of the seller to the portal of a customer, and the token in it. */
async function createPortalLink(system: RunningSystem, { id }: { id: string }): Promise<{ url: string; token: string }> {
  const { customer_portal_url: url, token } = await openShop(system).create<{ customer_portal_url: string; token: string }>(
    '/v1/customer-sessions/',
    { customer_id: id },
  )
  return { url, token }
}
