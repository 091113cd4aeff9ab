import { randomUUID } from 'node:crypto'
import { eventually } from '@quittance/testing/eventually'
import { scale } from '@quittance/testing/scale'
import { startSystem, type StartedSystem } from '@quittance/testing/system'
import { expect, test } from 'vitest'
import { expectAccepted } from '../sale.ts'

const subscribers = scale(4, 8)
const ordersPerYear = 13

async function createSubscriber({ api }: StartedSystem, productId: string): Promise<string> {
  const customer = await expectAccepted(() => api('POST', '/v1/customers/', { email: `${randomUUID()}@example.com` }))
  const { client_secret } = await expectAccepted(() => api('POST', '/v1/checkouts/', { products: [productId], customer_id: customer.id }))
  await expectAccepted(() => api('POST', `/v1/checkouts/client/${client_secret}/confirm`, { confirmation_token_id: 'ctoken_ok' }))
  return customer.id
}

test('a year of renewals under kill -9 bills and charges every period once', async () => {
  await using system = await startSystem({ env: { RATE_LIMIT_PER_SECOND: '0', JOB_LEASE_MS: '3000' } })
  const { api } = system
  const plan = { name: 'Plan', recurring_interval: 'month', prices: [{ amount_type: 'fixed', price_amount: 1000 }] }
  const product = await expectAccepted(() => api('POST', '/v1/products/', plan))
  const customers = await Promise.all(Array.from({ length: subscribers }, () => createSubscriber(system, product.id)))
  const countPaid = async (): Promise<number> => {
    const { items } = await expectAccepted(() => api('GET', `/v1/orders/?product_id=${product.id}&limit=100&page=1`))
    const { items: secondPage } = await expectAccepted(() => api('GET', `/v1/orders/?product_id=${product.id}&limit=100&page=2`))
    // An order that is created between the two requests moves the last one of the first page to the second.
    const paid = [...items, ...secondPage].filter(({ status }) => status === 'paid')
    return new Set(paid.map(({ id }) => id)).size
  }
  await eventually(async () => expect(await countPaid()).toBe(subscribers))

  await expectAccepted(() => api('POST', '/v1/test-clock/advance', { to: new Date(Date.now() + 366 * 86_400_000).toISOString() }))
  for (const minPaid of [subscribers * 2, subscribers * 5, subscribers * 9]) {
    await eventually(async () => expect(await countPaid()).toBeGreaterThanOrEqual(minPaid))
    // The service responds before the supervisor has written its process id to the ready file.
    await system.untilReady()
    system.kill('orders')
  }
  await eventually(async () => expect(await countPaid()).toBe(subscribers * ordersPerYear), { withinMs: 300_000 })
  for (const id of customers) {
    const { items, pagination } = await expectAccepted(() => api('GET', `/v1/orders/?customer_id=${id}&limit=100`))
    expect(pagination.total_count).toBe(ordersPerYear)
    expect(new Set(items.map((order: { status: string; total_amount: number }) => `${order.status} ${order.total_amount}`))).toEqual(
      new Set(['paid 1000']),
    )
    const { body } = await api('GET', `/v1/subscriptions/?customer_id=${id}`)
    expect(body.items).toMatchObject([{ status: 'active' }])
  }
})
