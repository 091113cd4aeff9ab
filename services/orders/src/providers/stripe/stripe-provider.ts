import type { Capabilities, PaymentProvider } from '../provider.ts'
import type Stripe from 'stripe'
import type { StripeCalls } from './read-intent.ts'
import type { StripeAccount, StripeSettings } from './stripe-account.ts'
import { isChargedByStripe } from './stripe-amounts.ts'
import { createStripeClient } from './stripe-client.ts'
import { listStripeEvents, parseStripeWebhook } from './stripe-events.ts'
import { checkStripeHealth } from './stripe-health.ts'
import { createIntentCalls } from './stripe-intents.ts'
import { createLists } from './stripe-lists.ts'
import { createPayerCalls } from './stripe-payers.ts'
import { createRefundCalls } from './stripe-refunds.ts'

const capabilities: Capabilities = {
  direction: 'pull',
  laterCharges: true,
  setup: true,
  refunds: 'partial',
  disputes: true,
  events: 'signed',
  // Stripe keeps a key for at least 24 hours.
  replayMs: 23 * 3_600_000,
  settlesWithinMs: 2 * 60_000,
  cancelIsFinal: true,
  accepts: isChargedByStripe,
}

/** Creates the adapter of one account. The first call loads the library. */
export function createStripeProvider(account: StripeAccount, settings: StripeSettings): PaymentProvider {
  let client: Stripe | undefined
  const calls: StripeCalls = {
    settings,
    observer: () => ({ account, now: new Date() }),
    get stripe() {
      return (client ??= createStripeClient(account, settings))
    },
  }
  return {
    capabilities: () => capabilities,
    health: () => checkStripeHealth(calls.stripe),
    ...createPayerCalls(calls, account),
    ...createIntentCalls(calls),
    ...createRefundCalls(calls),
    lists: createLists(calls),
    parseWebhook: (body, headers, now) =>
      parseStripeWebhook({ body, signature: headers['stripe-signature'], now }, { stripe: calls.stripe, account }),
    eventsSince: (since) => listStripeEvents(since, { stripe: calls.stripe, account }),
  }
}
