import type { Mode } from '../provider.ts'

/** What the adapter needs to know of an account. */
export interface StripeAccount {
  /** `acct_…`, as it was when the key was stored. */
  account: string
  mode: Mode
  /** Secret or restricted key. */
  apiKey: string
  /** Signing secrets of webhooks, newest first; two during a rotation. */
  webhookSecrets: readonly string[]
}

/** Settings of the operator for all accounts. */
export interface StripeSettings {
  /** Address of the API; other than Stripe's for tests only. */
  apiUrl: string
  /** Name of this installation in the metadata of its objects. */
  installation: string
}

/** Metadata keys of our objects. */
export const metadataKeys = {
  payment: 'quittance_payment',
  setup: 'quittance_setup',
  refund: 'quittance_refund',
  payer: 'quittance_payer',
  order: 'quittance_order',
  customer: 'quittance_customer',
  organization: 'quittance_organization',
  installation: 'quittance_installation',
  /** `true` where the buyer is absent, so that a later read knows it too. */
  offSession: 'quittance_off_session',
} as const

const keyForms = { secret: /^(?:sk|rk)_(test|live)_\w+$/, publishable: /^pk_(test|live)_\w+$/ }

/** Returns the mode that the prefix of a key names; null if it is no such key of Stripe. */
export function readStripeMode(key: string, kind: keyof typeof keyForms): Mode | null {
  const mode = keyForms[kind].exec(key)?.[1]
  return mode === 'test' || mode === 'live' ? mode : null
}
