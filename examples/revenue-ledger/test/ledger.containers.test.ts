import { eventually } from '@quittance/testing/eventually'
import { startQuittance, type Quittance } from '@quittance/testing/quittance'
import { expect, test } from 'vitest'
import { startLedger } from '../src/ledger.ts'

test('counts a payment once and ignores unsigned events', async () => {
  await using quittance = await startQuittance()
  await using ledger = await startLedger()
  const url = `http://${quittance.hostAddress}:${ledger.port}/`
  const { secret } = await post(quittance, '/v1/webhooks/endpoints', { url, events: ['order.paid'] })
  ledger.trust(secret)
  for (const amount of [4_900, 1_250]) await sell(quittance, amount)
  await eventually(() => expect(Object.fromEntries(ledger.revenue)).toEqual({ usd: 6_150 }), { withinMs: 30_000 })
  expect((await fetch(`http://127.0.0.1:${ledger.port}/`, { method: 'POST', body: '{"type":"order.paid"}' })).status).toBe(401)
  expect(ledger.revenue.get('usd')).toBe(6_150)
})

async function sell(quittance: Quittance, price_amount: number): Promise<void> {
  const prices = [{ amount_type: 'fixed', price_amount, price_currency: 'usd' }]
  const product = await post(quittance, '/v1/products/', { name: 'Book', recurring_interval: null, prices })
  const customer = await post(quittance, '/v1/customers/', { email: `reader-${price_amount}@example.com` })
  const checkout = await post(quittance, '/v1/checkouts/', { products: [product.id], customer_id: customer.id })
  await post(quittance, `/v1/checkouts/client/${checkout.client_secret}/confirm`, { confirmation_token_id: 'ctoken_ok' })
}

async function post(
  { baseUrl, token }: Quittance,
  path: string,
  body: unknown,
): Promise<{ id: string; client_secret: string; secret: string }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
  return response.json() as Promise<{ id: string; client_secret: string; secret: string }>
}
