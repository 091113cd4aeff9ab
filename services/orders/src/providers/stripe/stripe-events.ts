import { isStorableTime } from '@quittance/contracts/identifiers'
import type Stripe from 'stripe'
import type { Answer, Hint } from '../provider.ts'
import { metadataKeys, type StripeAccount } from './stripe-account.ts'
import { toFailure, unreadable } from './stripe-answers.ts'

type ObjectKind = Hint['object']['kind']

/** The types that are read, at most 20 as one list takes; the endpoint in Stripe's dashboard selects the same ones. */
const kinds = {
  'payment_intent.succeeded': 'charge',
  'payment_intent.payment_failed': 'charge',
  'payment_intent.processing': 'charge',
  'payment_intent.requires_action': 'charge',
  'payment_intent.canceled': 'charge',
  'setup_intent.succeeded': 'setup',
  'setup_intent.setup_failed': 'setup',
  'setup_intent.canceled': 'setup',
  'charge.dispute.created': 'dispute',
  'charge.dispute.updated': 'dispute',
  'charge.dispute.closed': 'dispute',
  'charge.dispute.funds_withdrawn': 'dispute',
  'charge.dispute.funds_reinstated': 'dispute',
  'refund.created': 'refund',
  'refund.updated': 'refund',
  'refund.failed': 'refund',
  'payment_method.detached': 'method',
  'payment_method.updated': 'method',
  'payment_method.automatically_updated': 'method',
  'mandate.updated': 'mandate',
} as const satisfies Partial<Record<Stripe.Event.Type, ObjectKind>>

export const eventTypes = Object.keys(kinds) as (keyof typeof kinds)[]

/** Age of a signature at which it is rejected. */
const toleranceSeconds = 300
/** Events after which a list is not read further. */
const maxEvents = 200_000

interface SignedBytes {
  body: Buffer
  signature: string
  now: Date
}

/** Authenticates the bytes as received with each secret; null if none of them signed, or too long ago. */
export function parseStripeWebhook(
  { body, signature, now }: Omit<SignedBytes, 'signature'> & { signature: string | undefined },
  { stripe, account }: { stripe: Pick<Stripe, 'webhooks'>; account: Pick<StripeAccount, 'webhookSecrets' | 'mode'> },
): Hint | 'not_ours' | null {
  if (!signature) return null
  const isSigned = account.webhookSecrets.some((secret) => isSignedWith(stripe, { body, signature, secret, now }))
  return isSigned ? parseEvent(body, account) : null
}

/** Whatever the library throws here, the bytes are not proven to be Stripe's. */
function isSignedWith(stripe: Pick<Stripe, 'webhooks'>, { body, signature, secret, now }: SignedBytes & { secret: string }): boolean {
  try {
    return stripe.webhooks.signature?.verifyHeader(body, signature, secret, toleranceSeconds, undefined, now.getTime()) === true
  } catch {
    return false
  }
}

function parseEvent(body: Buffer, account: Pick<StripeAccount, 'mode'>): Hint | 'not_ours' {
  try {
    return toHint(JSON.parse(body.toString()) as Stripe.Event, account)
  } catch {
    return 'not_ours'
  }
}

/** Returns the events since a time. Stripe keeps them for 30 days. */
export async function listStripeEvents(
  since: Date,
  { stripe, account }: { stripe: Pick<Stripe, 'events'>; account: Pick<StripeAccount, 'mode'> },
): Promise<Answer<{ hints: readonly Hint[]; until: Date }>> {
  const until = new Date()
  const hints: Hint[] = []
  try {
    const list = stripe.events.list({ created: { gte: Math.floor(since.getTime() / 1000) }, types: [...eventTypes], limit: 100 })
    for await (const event of list) {
      const hint = toHint(event, account)
      if (hint !== 'not_ours') hints.push(hint)
      if (hints.length > maxEvents) return unreadable
    }
    return { got: { hints, until } }
  } catch (error) {
    return toFailure(error)
  }
}

/** The account may also be used by others: intents without our metadata are not read. */
function toHint(event: Stripe.Event, { mode }: Pick<StripeAccount, 'mode'>): Hint | 'not_ours' {
  const kind = Object.hasOwn(kinds, event.type) ? kinds[event.type as keyof typeof kinds] : null
  const object = event.data.object as { id?: unknown; metadata?: Record<string, string> | null }
  if (!kind || !isId(object.id) || !isId(event.id) || event.livemode !== (mode === 'live')) return 'not_ours'
  if (kind === 'charge' && !object.metadata?.[metadataKeys.payment]) return 'not_ours'
  if (kind === 'setup' && !object.metadata?.[metadataKeys.setup]) return 'not_ours'
  const occurredAt = new Date(event.created * 1000)
  if (!isStorableTime(occurredAt.toISOString())) return 'not_ours'
  return { event: event.id, type: event.type, object: { kind, theirs: object.id }, occurredAt }
}

/** A caller who knows a secret of the account can sign any text. One that is no id of Stripe cannot be stored, or be the path of a call. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,255}$/.test(value)
}
