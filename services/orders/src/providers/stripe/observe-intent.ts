import type Stripe from 'stripe'
import type { Answer, Facts, MethodDetails, Seen } from '../provider.ts'
import { metadataKeys, type StripeAccount } from './stripe-account.ts'
import { fromStripeAmount } from './stripe-amounts.ts'
import { unreadable } from './stripe-answers.ts'
import { toDecline, type StripeDecline } from './stripe-declines.ts'

export type StripeIntent = Stripe.PaymentIntent | Stripe.SetupIntent

export interface Observer {
  account: Pick<StripeAccount, 'account' | 'mode'>
  now: Date
}

/**
 * Translates an intent. A status that is not expected, such as a mere authorization, is `unreadable`: the money core then reads the object again
 * and quarantines it, and starts nothing else.
 */
export function observeIntent(intent: StripeIntent, { account, now }: Observer): Answer<Seen> {
  if (!isIntent(intent)) return unreadable
  const facts = readIntentFacts(intent, account)
  switch (intent.status) {
    case 'succeeded':
      return { got: { ...facts, is: 'succeeded', method: toMethodDetails(intent.payment_method), charge: readChargeId(intent) } }
    case 'processing':
      return { got: { ...facts, is: 'processing', checkAfterMs: computeCheckAfterMs(intent.created, now) } }
    case 'requires_action':
      return observeAction(intent, facts, now)
    case 'requires_payment_method': {
      const error = readLastError(intent)
      return { got: error ? { ...facts, is: 'declined', decline: toDecline(error, now) } : { ...facts, is: 'untouched' } }
    }
    case 'requires_confirmation':
      return { got: { ...facts, is: 'untouched' } }
    case 'canceled':
      return { got: { ...facts, is: 'canceled' } }
    default:
      return unreadable
  }
}

function isIntent({ id, object, metadata }: StripeIntent): boolean {
  return typeof id === 'string' && (object === 'payment_intent' || object === 'setup_intent') && typeof (metadata ?? {}) === 'object'
}

function readIntentFacts(intent: StripeIntent, { account, mode }: Observer['account']): Facts {
  const facts = { theirs: intent.id, account, mode: intent.livemode === (mode === 'live') ? mode : otherMode[mode] }
  if (intent.object === 'setup_intent')
    return { ...facts, ours: intent.metadata?.[metadataKeys.setup] ?? null, money: null, received: null }
  return {
    ...facts,
    ours: intent.metadata[metadataKeys.payment] ?? null,
    money: fromStripeAmount(intent.amount, intent.currency),
    received: intent.amount_received > 0 ? fromStripeAmount(intent.amount_received, intent.currency) : null,
  }
}

const otherMode = { live: 'test', test: 'live' } as const

/** An absent buyer cannot take the step: the payment is declined, and the buyer can start another. */
function observeAction(intent: StripeIntent, facts: Facts, now: Date): Answer<Seen> {
  if (intent.metadata?.[metadataKeys.offSession] === 'true') {
    return { got: { ...facts, is: 'declined', decline: toDecline({ code: 'authentication_required' }, now) } }
  }
  if (!intent.client_secret) return unreadable
  const until = intent.object === 'payment_intent' ? findVoucherEnd(intent.next_action) : null
  return { got: { ...facts, is: 'requires_action', action: { by: 'client', clientSecret: intent.client_secret }, until } }
}

/** Days that a payment in a shop on the last day may take to be booked. */
const graceDays = 3
const daySeconds = 86_400
/** The end of a voucher is weeks ahead; no other time is stored. */
const maxSeconds = 4_000_000_000

/** Returns when a voucher or code can no longer be paid; null for a step at once, such as that of a card. */
function findVoucherEnd(step: Stripe.PaymentIntent['next_action']): Date | null {
  const { boleto_display_details: boleto, konbini_display_details: konbini, multibanco_display_details: multibanco } = step ?? {}
  const { oxxo_display_details: oxxo, pix_display_qr_code: pix } = step ?? {}
  const seconds = boleto?.expires_at ?? konbini?.expires_at ?? multibanco?.expires_at ?? oxxo?.expires_after ?? pix?.expires_at
  if (!seconds || seconds < 0 || seconds > maxSeconds) return null
  return new Date((seconds + graceDays * daySeconds) * 1000)
}

function readLastError(intent: StripeIntent): StripeDecline | null {
  return intent.object === 'payment_intent' ? intent.last_payment_error : intent.last_setup_error
}

function readChargeId(intent: StripeIntent): string | null {
  if (intent.object === 'setup_intent') return null
  const { latest_charge: charge } = intent
  return typeof charge === 'string' ? charge : (charge?.id ?? null)
}

const minCheckMs = 60_000
const maxCheckMs = 6 * 3_600_000

/** Cards take seconds and bank debits days: the next check is due after the age of the object, between a minute and six hours. */
export function computeCheckAfterMs(createdSeconds: number, now: Date): number {
  return Math.max(minCheckMs, Math.min(maxCheckMs, now.getTime() - createdSeconds * 1000))
}

/** Translates a method; null if the answer has only its id. `theirs` is null for a method that belongs to no customer: it was used once. */
export function toMethodDetails(method: string | Stripe.PaymentMethod | null): MethodDetails | null {
  if (method === null || typeof method === 'string') return null
  const { card, sepa_debit: sepa } = method
  return {
    theirs: method.customer ? method.id : null,
    type: method.type,
    brand: card?.brand ?? null,
    last4: card?.last4 ?? sepa?.last4 ?? null,
    expMonth: card?.exp_month ?? null,
    expYear: card?.exp_year ?? null,
    wallet: card?.wallet?.type ?? null,
  }
}
