import { setTimeout as delay } from 'node:timers/promises'
import type { DemoSales } from '@quittance/testing/ready-file'
import type { ApiClient } from '../api-client.ts'

interface FoundOrder {
  id: string
  status: string
}

const settleMs = 20_000

export async function createDemoSales(api: ApiClient): Promise<DemoSales> {
  const create = <Reply = FoundOrder>(path: string, body: unknown) => api.send<Reply>('POST', { path, body, expect: 201 })
  const product = await create('/v1/products/', {
    name: 'Reading room, one year',
    description: 'A seat by the window and every book of the library.',
    recurring_interval: null,
    prices: [{ amount_type: 'fixed', price_amount: 4900, price_currency: 'usd' }],
  })
  const customer = await create('/v1/customers/', { email: 'ada@example.com', name: 'Ada Byron' })
  const sell = async (confirmationToken: string) => {
    const checkout = await create<{ id: string; client_secret: string }>('/v1/checkouts/', {
      products: [product.id],
      customer_id: customer.id,
    })
    const confirmation = {
      path: `/v1/checkouts/client/${checkout.client_secret}/confirm`,
      body: { confirmation_token_id: confirmationToken },
    }
    await api.send('POST', { ...confirmation, expect: 200 })
    return findOrder(api, checkout.id)
  }
  const paid = await sell('ctoken_ok')
  const pending = await sell('ctoken_pending')
  await untilPaid(api, paid.id)
  return { product_id: product.id, customer_id: customer.id, paid_order_id: paid.id, pending_order_id: pending.id }
}

async function findOrder(api: ApiClient, checkoutId: string): Promise<FoundOrder> {
  const { items } = await api.send<{ items: FoundOrder[] }>('GET', { path: `/v1/orders/?checkout_id=${checkoutId}`, expect: 200 })
  if (!items[0]) throw new Error(`The confirmed checkout ${checkoutId} has no order.`)
  return items[0]
}

export async function untilPaid(api: ApiClient, orderId: string): Promise<void> {
  for (const start = Date.now(); Date.now() - start < settleMs; await delay(50)) {
    const { status } = await api.send<FoundOrder>('GET', { path: `/v1/orders/${orderId}`, expect: 200 })
    if (status === 'paid') return
  }
  throw new Error(`The order ${orderId} was not paid within ${settleMs / 1000} s.`)
}
