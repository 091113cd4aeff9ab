import type { DemoData } from '@quittance/testing/ready-file'
import { apiClient } from '../api-client.ts'

/** Links that a person can open at once: both expire, so they are created at every start. */
export interface DemoLinks {
  checkoutUrl: string
  customerPortalUrl: string
}

/** Creates a checkout of the demo product, for half an hour, and a session of the demo customer, for an hour. */
export async function createDemoLinks(demo: DemoData, origin: string): Promise<DemoLinks> {
  const api = apiClient({ origin, token: demo.organization_access_token })
  const create = <Reply>(path: string, body: unknown) => api.send<Reply>('POST', { path, body, expect: 201 })
  const checkout = await create<{ url: string }>('/v1/checkouts/', { products: [demo.product_id] })
  const session = await create<{ customer_portal_url: string }>('/v1/customer-sessions/', { customer_id: demo.customer_id })
  return { checkoutUrl: checkout.url, customerPortalUrl: session.customer_portal_url }
}
