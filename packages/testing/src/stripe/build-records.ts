import type Stripe from 'stripe'
import type { Origin, StripeAccountState } from './stripe-state.ts'

export function buildDispute([world, account]: Origin, charge: Stripe.Charge, reason: string): Stripe.Dispute {
  return {
    id: world.createId('dp'),
    object: 'dispute',
    created: world.seconds(),
    livemode: account.isLive,
    amount: charge.amount,
    currency: charge.currency,
    charge: charge.id,
    payment_intent: charge.payment_intent,
    balance_transactions: [],
    metadata: {},
    enhanced_eligibility_types: [],
    intended_submission_method: null,
    is_charge_refundable: false,
    reason,
    status: 'needs_response',
    evidence: emptyEvidence,
    evidence_details: {
      due_by: world.seconds() + 7 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'manual',
    },
  }
}

const emptyEvidence: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  appeal: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
}

export function buildBalanceTransaction(
  [world]: Origin,
  { id, amount, currency }: Stripe.Dispute,
  sign: 1 | -1,
): Stripe.BalanceTransaction {
  return {
    id: world.createId('txn'),
    object: 'balance_transaction',
    created: world.seconds(),
    available_on: world.seconds(),
    amount: sign * amount,
    net: sign * amount,
    fee: 0,
    fee_details: [],
    currency,
    description: null,
    exchange_rate: null,
    balance_type: 'payments',
    reporting_category: 'dispute',
    source: id,
    status: 'available',
    type: 'adjustment',
  }
}

export function buildAccount({ id }: StripeAccountState): Stripe.Account {
  return {
    id,
    object: 'account',
    charges_enabled: true,
    details_submitted: true,
    email: null,
    payouts_enabled: true,
    type: 'standard',
    country: 'DE',
    default_currency: 'eur',
  }
}

export function buildBalance({ isLive }: StripeAccountState): Stripe.Balance {
  return { object: 'balance', available: [{ amount: 0, currency: 'eur' }], pending: [{ amount: 0, currency: 'eur' }], livemode: isLive }
}

export function buildEvent([world, account]: Origin, type: Stripe.Event.Type, object: object): Stripe.Event {
  const event = {
    id: world.createId('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: world.seconds(),
    livemode: account.isLive,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    data: { object: structuredClone(object) },
  } satisfies Omit<Stripe.EventBase, 'data'> & { data: { object: object } }
  // reason: the union distinguishes the object by the type, which is a variable here.
  return event as unknown as Stripe.Event
}

/** Returns a page of a list, newest first, as Stripe does. */
export function buildList<T extends { id: string; created: number }>(objects: T[], query: URLSearchParams, url: string): Stripe.ApiList<T> {
  const limit = Number(query.get('limit') ?? 10)
  const since = Number(query.get('created[gte]') ?? 0)
  const until = Number(query.get('created[lte]') ?? Number.POSITIVE_INFINITY)
  const newestFirst = objects.filter(({ created }) => created >= since && created <= until).toReversed()
  const after = query.get('starting_after')
  const start = after ? newestFirst.findIndex(({ id }) => id === after) + 1 : 0
  return { object: 'list', data: newestFirst.slice(start, start + limit), has_more: newestFirst.length > start + limit, url }
}
