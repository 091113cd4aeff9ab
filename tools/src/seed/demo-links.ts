import type { DemoData } from '@quittance/testing/ready-file'
import { apiClient, type ApiClient } from '../api-client.ts'

/** Links that a person can open at once. Checkout and session expire, so they are created at every start. */
export interface DemoLinks {
  checkoutUrl: string
  customerPortalUrl: string
  /** Link to buy, which does not expire. */
  buyUrl: string
  /** Customer portal, where customers sign in by a code. */
  portalUrl: string
}

/**
 * Creates a checkout of a monthly product and the demo product, for half an hour, and a session of the demo customer, for an hour. The link to
 * buy both is created at the first start.
 */
export async function createDemoLinks(demo: DemoData, origin: string): Promise<DemoLinks> {
  const api = apiClient({ origin, token: demo.organization_access_token })
  const create = <Reply>(path: string, body: unknown) => api.send<Reply>('POST', { path, body, expect: 201 })
  const monthly = (await findMonthly(api)) ?? (await create<{ id: string }>('/v1/products/', monthlyProduct))
  const products = [monthly.id, demo.product_id]
  const checkout = await create<{ url: string }>('/v1/checkouts/', { products })
  const session = await create<{ customer_portal_url: string }>('/v1/customer-sessions/', { customer_id: demo.customer_id })
  const link = (await findLink(api)) ?? (await create<{ url: string }>('/v1/checkout-links/', { products, label: linkLabel }))
  const portal = new URL(session.customer_portal_url)
  portal.search = ''
  return { checkoutUrl: checkout.url, customerPortalUrl: session.customer_portal_url, buyUrl: link.url, portalUrl: portal.href }
}

const linkLabel = 'Start page'

const monthlyProduct = {
  name: 'Library card',
  description: 'Every book of the library, month by month.',
  recurring_interval: 'month',
  prices: [{ amount_type: 'fixed', price_amount: 1200, price_currency: 'usd' }],
}

/** The one of an earlier start. */
async function findMonthly(api: ApiClient): Promise<{ id: string } | undefined> {
  const path = `/v1/products/?is_archived=false&query=${encodeURIComponent(monthlyProduct.name)}`
  const { items } = await api.send<{ items: { id: string; name: string }[] }>('GET', { path, expect: 200 })
  return items.find(({ name }) => name === monthlyProduct.name)
}

/** The one of an earlier start. */
async function findLink(api: ApiClient): Promise<{ url: string } | undefined> {
  const { items } = await api.send<{ items: { url: string; label: string | null }[] }>('GET', {
    path: '/v1/checkout-links/?limit=100&sorting=created_at',
    expect: 200,
  })
  return items.find(({ label }) => label === linkLabel)
}
