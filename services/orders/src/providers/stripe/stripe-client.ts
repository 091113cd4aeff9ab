import type Stripe from 'stripe'
import { createBoundedHttpClient } from './bounded-http-client.ts'
import type { StripeAccount, StripeSettings } from './stripe-account.ts'

/** Times within which an answer must be complete. */
export const timeoutsMs = { check: 1_500, read: 8_000, write: 20_000 }

const apiVersion = '2026-10-28.endive' satisfies Stripe.LatestApiVersion

const httpClient = createBoundedHttpClient()

/**
 * Creates a client for one account. The library is loaded with the first one: it takes 350 ms and 17 MB. Its retries are off, because the core
 * stores every answer before the next call; only a closed connection is still repeated once, under the same key.
 */
export async function createStripeClient(
  { apiKey }: Pick<StripeAccount, 'apiKey'>,
  { apiUrl }: Pick<StripeSettings, 'apiUrl'>,
): Promise<Stripe> {
  const { default: Library } = await import('stripe')
  const { hostname, port, protocol } = new URL(apiUrl)
  return new Library(apiKey, {
    apiVersion,
    maxNetworkRetries: 0,
    timeout: timeoutsMs.read,
    telemetry: false,
    host: hostname,
    port: port || (protocol === 'https:' ? 443 : 80),
    protocol: protocol === 'https:' ? 'https' : 'http',
    httpClient,
  })
}
