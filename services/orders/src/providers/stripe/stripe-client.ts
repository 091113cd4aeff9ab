import { createRequire } from 'node:module'
import type Stripe from 'stripe'
import { createBoundedHttpClient } from './bounded-http-client.ts'
import type { StripeAccount, StripeSettings } from './stripe-account.ts'

/** Times within which an answer must be complete. */
export const timeoutsMs = { check: 1_500, read: 8_000, write: 20_000 }

const apiVersion = '2026-10-28.endive' satisfies Stripe.LatestApiVersion

const httpClient = createBoundedHttpClient()
const require = createRequire(import.meta.url)

/**
 * Creates a client for one account. The first one loads the library, which takes 350 ms and 17 MB: an installation without accounts does not pay
 * for it. Its retries are off, because the core stores every answer before the next call; only a closed connection is still repeated once, under
 * the same key.
 */
export function createStripeClient({ apiKey }: Pick<StripeAccount, 'apiKey'>, { apiUrl }: Pick<StripeSettings, 'apiUrl'>): Stripe {
  // The CommonJS build exports the class itself.
  const Library = require('stripe') as typeof Stripe
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
