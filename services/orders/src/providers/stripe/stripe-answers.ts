import type Stripe from 'stripe'
import type { Answer } from '../provider.ts'
import { bodyTooLargeCode, timeoutCode } from './bounded-http-client.ts'

/** An answer without a result; fits every `Answer`. */
export type Failure = Exclude<Answer<never>, { got: never }>
type Misconfigured = Extract<Failure, { misconfigured: string }>['misconfigured']

/** An answer that contradicts its documentation. The object is read again later, and quarantined if it stays so. */
export const unreadable: Failure = { unknown: 'unreadable', sent: true, retryAfterMs: null }

/** Codes of connections that were never made, so that no request was sent. */
const notConnected: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

const misconfiguredCodes: Readonly<Record<string, Misconfigured>> = {
  api_key_expired: 'credentials',
  platform_api_key_expired: 'credentials',
  secret_key_required: 'credentials',
  livemode_mismatch: 'mode',
  testmode_charges_only: 'account',
  no_account: 'account',
  account_invalid: 'account',
  balance_insufficient: 'account',
  capability_not_active: 'feature',
  payment_method_configuration_failures: 'feature',
  amount_too_small: 'amount',
  amount_too_large: 'amount',
  invalid_charge_amount: 'amount',
}

/** The parts of an error of the library that are used. The rest contains request headers and is never logged or stored. */
export interface StripeFailure {
  type: string
  statusCode?: number
  code?: string
  param?: string
  detail?: unknown
  headers?: Readonly<Record<string, string>>
  message: string
  payment_intent?: Stripe.PaymentIntent
  setup_intent?: Stripe.SetupIntent
}

/** Returns null for errors of other origin, among them those of reading an answer of unexpected shape. */
export function readFailure(error: unknown): StripeFailure | null {
  return error instanceof Error && 'type' in error && typeof error.type === 'string' && error.type.startsWith('Stripe')
    ? (error as unknown as StripeFailure)
    : null
}

/** Translates an error that states nothing about the buyer. Card errors are translated from their intent before. */
export function toFailure(error: unknown): Failure {
  const failure = readFailure(error)
  if (!failure) return unreadable
  const { statusCode, code, type } = failure
  if (type === 'StripeConnectionError') return toConnectionFailure(failure)
  if (statusCode === undefined) return unreadable
  if (code === 'lock_timeout' || code === 'idempotency_key_in_use') return { unknown: 'busy', sent: false, retryAfterMs: null }
  if (statusCode === 429 || code === 'rate_limit') return { unknown: 'busy', sent: false, retryAfterMs: readRetryAfterMs(failure) }
  if (statusCode >= 500) return { unknown: 'server_error', sent: true, retryAfterMs: null }
  // The same key with other parameters is a fault of this service; the object shows what the first request did.
  if (type === 'StripeIdempotencyError' || statusCode < 400 || statusCode === 402) return unreadable
  if (statusCode === 404 && code === 'resource_missing') return { absent: true }
  return toMisconfigured(failure)
}

/** Translates the error of a request that names no object in its path: one that is missing there is a wrong parameter. */
export function toCreateFailure(error: unknown): Failure {
  const failure = toFailure(error)
  // A parameter that names a missing object is 400.
  if (isMissingPayer(readFailure(error))) return { misconfigured: 'payer', detail: 'The customer was deleted at Stripe.' }
  if (!('absent' in failure)) return failure
  return { misconfigured: 'request', detail: `Stripe does not know the object of the parameter ${readFailure(error)?.param ?? 'unknown'}.` }
}

function isMissingPayer(failure: StripeFailure | null): boolean {
  return failure?.statusCode === 400 && failure.code === 'resource_missing' && failure.param === 'customer'
}

function toConnectionFailure({ detail }: StripeFailure): Failure {
  const code = typeof detail === 'object' && detail !== null && 'code' in detail ? detail.code : null
  if (code === bodyTooLargeCode) return unreadable
  if (code === timeoutCode) return { unknown: 'timeout', sent: true, retryAfterMs: null }
  return { unknown: 'connection', sent: !notConnected.has(code), retryAfterMs: null }
}

/** Describes the fault without the text of Stripe, which can contain a part of the key. */
function toMisconfigured({ statusCode, code, param, message }: StripeFailure): Failure {
  if (statusCode === 401) return { misconfigured: 'credentials', detail: 'Stripe rejected the API key.' }
  if (statusCode === 403) return { misconfigured: 'permission', detail: describePermission(message) }
  const named = Object.hasOwn(misconfiguredCodes, code ?? '') ? misconfiguredCodes[code as string] : undefined
  const kind = named ?? (param === 'amount' || param === 'currency' ? param : 'request')
  const parts = [code && `code ${code}`, param && `parameter ${param}`].filter(Boolean).join(', ')
  return { misconfigured: kind, detail: `Stripe rejected the request${parts ? `: ${parts}` : ''}.` }
}

/** Returns the permissions that Stripe names in an error, for example `rak_balance_read`. */
export function readPermissions(message: string): string[] {
  return [...new Set(message.match(/\brak_[a-z_]{1,60}\b/g))]
}

function describePermission(message: string): string {
  const names = readPermissions(message)
  return names.length > 0 ? `The API key lacks the permission ${names.join(', ')}.` : 'The API key lacks a permission.'
}

function readRetryAfterMs({ headers }: StripeFailure): number {
  const seconds = Number(headers?.['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 1 ? Math.min(seconds, 60) * 1000 : 1_000
}
