import { z } from 'zod'
import { oneOrMany, Timestamp } from './identifiers.ts'

export const SubscriptionStatus = z.enum(['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid'])
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>

export const CancellationReason = z
  .enum(['customer_service', 'low_quality', 'missing_features', 'switched_service', 'too_complex', 'too_expensive', 'unused', 'other'])
  .meta({ id: 'CancellationReason' })
export type CancellationReason = z.infer<typeof CancellationReason>

/** How the next payment is made, and what follows while one is owed; absent in replies and events of earlier releases. */
export const nextPayment = {
  is_paid_by_transfer: z
    .boolean()
    .optional()
    .describe('Whether the buyer is asked to send the next payment by bank transfer: no stored payment method is charged.'),
  next_payment_attempt_at: Timestamp.nullish().describe(
    'When what a `past_due` subscription owes is charged again without the buyer, or the buyer is asked for a bank transfer again; null if neither follows: only the buyer can pay it then.',
  ),
  ends_unpaid_at: Timestamp.nullish().describe('When a `past_due` subscription ends if it stays unpaid; null if that is not known.'),
}

/** Filters of lists of subscriptions by their status and cancellation. */
export const statusFilters = {
  active: z.boolean().optional().describe('`true`: trialing and active; `false`: past_due, canceled and unpaid.'),
  status: oneOrMany(SubscriptionStatus),
  cancel_at_period_end: z.boolean().optional(),
  customer_cancellation_reason: oneOrMany(CancellationReason),
  canceled_at_after: Timestamp.optional().describe('Canceled at this time or later.'),
  canceled_at_before: Timestamp.optional().describe('Canceled at this time or before.'),
}
