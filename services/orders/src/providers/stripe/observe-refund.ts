import type Stripe from 'stripe'
import type { Answer, DisputeFunds, DisputeStatus, Facts, SeenDispute, SeenRefund } from '../provider.ts'
import { computeCheckAfterMs, type Observer } from './observe-intent.ts'
import { metadataKeys } from './stripe-account.ts'
import { fromStripeAmount } from './stripe-amounts.ts'
import { unreadable } from './stripe-answers.ts'

/** Translates a refund. Stripe states no mode in it: an API key reaches the objects of one mode only. */
export function observeRefund(refund: Stripe.Refund, { account, now }: Observer): Answer<SeenRefund> {
  if (refund.object !== 'refund' || typeof refund.id !== 'string') return unreadable
  const money = fromStripeAmount(refund.amount, refund.currency)
  const { payment_intent: intent } = refund
  const facts = {
    payment: typeof intent === 'string' ? intent : (intent?.id ?? null),
    ours: refund.metadata?.[metadataKeys.refund] ?? null,
    theirs: refund.id,
    account: account.account,
    mode: account.mode,
    money,
    received: refund.status === 'succeeded' ? money : null,
  } satisfies Facts & { payment: string | null }
  switch (refund.status) {
    case 'succeeded':
      return { got: { ...facts, is: 'succeeded' } }
    case 'pending':
    case 'requires_action':
      return { got: { ...facts, is: 'processing', checkAfterMs: computeCheckAfterMs(refund.created, now) } }
    case 'failed':
    case 'canceled':
      return { got: { ...facts, is: refund.status, reason: refund.failure_reason ?? 'unknown' } }
    default:
      return unreadable
  }
}

const disputeStatuses: ReadonlyMap<string, DisputeStatus> = new Map<Stripe.Dispute.Status, DisputeStatus>([
  ['warning_needs_response', 'warning'],
  ['warning_under_review', 'warning'],
  ['warning_closed', 'closed'],
  ['needs_response', 'needs_response'],
  ['under_review', 'under_review'],
  ['appeal_needs_response', 'under_review'],
  ['appeal_under_review', 'under_review'],
  ['won', 'won'],
  ['lost', 'lost'],
  ['prevented', 'prevented'],
])

/** Translates a dispute. It has none of our metadata; its payment leads to the row. */
export function observeDispute(dispute: Stripe.Dispute, { account }: Observer): Answer<SeenDispute> {
  const status = disputeStatuses.get(dispute.status)
  const payment = typeof dispute.payment_intent === 'string' ? dispute.payment_intent : dispute.payment_intent?.id
  if (dispute.object !== 'dispute' || !status) return unreadable
  const { due_by: dueBy } = dispute.evidence_details
  return {
    got: {
      ours: null,
      theirs: dispute.id,
      account: account.account,
      mode: dispute.livemode ? 'live' : 'test',
      money: fromStripeAmount(dispute.amount, dispute.currency),
      received: null,
      payment: payment ?? null,
      status,
      reason: dispute.reason,
      funds: computeFunds(dispute.balance_transactions),
      evidenceDueBy: dueBy ? new Date(dueBy * 1000) : null,
    },
  }
}

/** None, one or two transactions: the withdrawal and its reinstatement. */
function computeFunds(transactions: readonly Stripe.BalanceTransaction[]): DisputeFunds {
  if (transactions.length === 0) return 'none'
  return transactions.reduce((sum, { amount }) => sum + amount, 0) < 0 ? 'withdrawn' : 'reinstated'
}
