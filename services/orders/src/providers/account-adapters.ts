import { config } from '../config.ts'
import type { Mode, PaymentProvider } from './provider.ts'
import { readStripeMode } from './stripe/stripe-account.ts'
import { createStripeProvider } from './stripe/stripe-provider.ts'

/** An account with its credentials in clear. They exist in memory for the time of a call. */
export interface AccountCredentials {
  /** The provider's id of the account; empty until it was read. */
  account: string
  mode: Mode
  apiKey: string
  /** Newest first. */
  webhookSecrets: readonly string[]
}

/** What a provider with accounts offers beside the port. */
export interface AccountAdapter {
  open(credentials: AccountCredentials): PaymentProvider
  /** Mode that a key names; null if it has not the form of such a key. */
  readMode(key: string, kind: 'secret' | 'publishable'): Mode | null
}

const adapters: Readonly<Record<string, AccountAdapter>> = {
  stripe: {
    open: (credentials) =>
      createStripeProvider(credentials, { apiUrl: config().STRIPE_API_URL, installation: new URL(config().BASE_URL).host }),
    readMode: readStripeMode,
  },
}

/** Whether the operator has enabled a provider. */
export function isOffered(provider: string): boolean {
  return config().PAYMENT_PROVIDERS.includes(provider)
}

/** Returns the adapter of a provider with accounts; null if the operator has not enabled it. */
export function findAccountAdapter(provider: string): AccountAdapter | null {
  return isOffered(provider) ? (adapters[provider] ?? null) : null
}
