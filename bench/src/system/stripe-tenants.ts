/** Tenants whose payments go through the fake of Stripe. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import type { Quittance } from './quittance.ts'

export interface StripeTenant {
  /** The account at the provider. */
  accountId: string
  /** Confirms a new checkout, and returns the time of the confirmation in milliseconds. */
  confirm(): Promise<number>
}

/** Creates an organization with a product and an account at the provider. */
export async function openStripeTenant({ origin, demo }: Quittance, fake: FakeStripe): Promise<StripeTenant> {
  const send = createSender(origin, demo.personal_access_token)
  const slug = `bench-${randomUUID()}`
  const organization = await send('/v1/organizations/', { name: 'Bench', slug })
  const prices = [{ amount_type: 'fixed', price_amount: 4200 }]
  const organization_id = organization['id']
  const product = await send('/v1/products/', { organization_id, name: 'Plan', recurring_interval: null, prices })
  const account = fake.createAccount()
  await send('/v1/payment-accounts/', {
    provider: 'stripe',
    mode: 'test',
    organization_id,
    secret_key: account.apiKey,
    webhook_secret: account.webhookSecret,
  })
  return {
    accountId: account.id,
    async confirm() {
      const { client_secret: secret } = await send('/v1/checkouts/', { products: [product['id']] })
      const confirmation_token_id = fake.buyer.createToken(account.id)
      const started = performance.now()
      await send(`/v1/checkouts/client/${secret}/confirm`, { customer_email: `${randomUUID()}@example.com`, confirmation_token_id })
      return performance.now() - started
    },
  }
}

interface HangingOptions {
  /** Confirmations at the same time. */
  count: number
  /** Time in which they begin, one after the other: buyers of a shop do not press at the same moment. */
  buildUpMs: number
}

/** Keeps confirmations of a tenant in progress until it is stopped; for a tenant whose provider hangs. */
export function keepConfirming(tenant: StripeTenant, { count, buildUpMs }: HangingOptions): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const running = Array.from({ length: count }, async (_, index) => {
    await delay((index * buildUpMs) / count)
    while (!stopped.signal.aborted) await tenant.confirm().catch(() => delay(100))
  })
  return {
    async stop() {
      stopped.abort()
      await Promise.all(running)
    },
  }
}

function createSender(origin: string, token: string) {
  return async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
}
