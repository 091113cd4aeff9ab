import { z } from 'zod'
import { Conflict, RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'

/**
 * A payment or a payment setup as an operator sees it. `state` is more precise than what clients see; `docs/payments.md` explains it. A payment
 * has an order and an amount in minor units, a setup only the customer whose method it stores.
 */
export const OperatedPayment = z.object({
  id: Id,
  kind: z.enum(['payment', 'setup']),
  organization_id: Id,
  order_id: Id.nullable(),
  customer_id: Id.nullable(),
  provider: z.string(),
  provider_payment: z.string().nullable().describe('The id of the object at the provider, also of a setup.'),
  state: z.string(),
  amount: z.int().nullable(),
  currency: z.string().nullable(),
  created_at: Timestamp,
  next_check_at: Timestamp.nullable(),
  unanswered_since: Timestamp.nullable(),
  quarantine_reason: z.string().nullable(),
  failure_reason: z.string().nullable(),
  decline_code: z.string().nullable(),
})
export type OperatedPayment = z.infer<typeof OperatedPayment>

/** Something that happened to a payment or setup. */
export const PaymentMoment = z.object({ at: Timestamp, what: z.string(), detail: z.string().nullable() })

export const listStuckPayments = operation({
  subject: 'orders.payment.list-stuck',
  summary:
    'List payments and setups in quarantine, surplus that could not be returned, and what is open for more than an hour, oldest first',
  request: z.object({ limit: z.int().min(1).max(500).default(100) }),
  reply: z.object({ payments: z.array(OperatedPayment), total_count: z.int() }),
  errors: [],
  audience: 'operator',
})

export const showPayment = operation({
  subject: 'orders.payment.show',
  summary: 'Get a payment or setup with its refunds, its entries in the ledger and its timeline',
  request: z.object({ id: Id }),
  reply: z.object({
    payment: OperatedPayment,
    refunds: z.array(z.object({ id: Id, purpose: z.string(), state: z.string(), amount: z.int(), created_at: Timestamp })),
    ledger: z.array(z.object({ created_at: Timestamp, reason: z.string(), debit: z.string(), credit: z.string(), amount: z.int() })),
    timeline: z.array(PaymentMoment),
  }),
  errors: [ResourceNotFound],
  audience: 'operator',
})

export const recheckPayment = operation({
  subject: 'orders.payment.recheck',
  summary: 'Read a payment or setup at its provider now, also a settled one; what is seen is recorded with all that follows',
  request: z.object({ id: Id }),
  reply: z.object({ id: Id }),
  errors: [ResourceNotFound],
  audience: 'operator',
})

export const resolvePayment = operation({
  subject: 'orders.payment.resolve',
  summary:
    'Decide about a payment or setup in quarantine or in progress; rejected if the provider reports another state, unless it is forced',
  request: z.object({
    id: Id,
    as: z.enum(['succeeded', 'failed']),
    because: z.string().trim().min(1).max(1000),
    force: z.boolean().default(false),
  }),
  reply: OperatedPayment,
  errors: [ResourceNotFound, Conflict],
  audience: 'operator',
})

/** What was compared of the payments, or of the refunds, of an account. */
export const ReconciledObjects = z.object({
  compared: z.int().describe('Objects that this installation made, or that are about its payments.'),
  others: z.int().describe('Objects that other software made with the same account; they are no difference.'),
  in_progress: z.int().describe('Objects whose row changed during the comparison; they were not compared.'),
  compared_since: Timestamp.describe('Later than `since` if not everything could be compared: the rest is compared with it as `until`.'),
})

/** A difference between the provider and the rows, with both values. */
export const ReconciledDifference = z.object({
  object: z.enum(['payment', 'refund']),
  id: Id.nullable().describe('The row.'),
  provider_id: z.string().nullable(),
  what: z.string().describe('`missing here`, `missing at the provider`, `outcome`, `amount`, or another fact.'),
  at_provider: z.string().nullable(),
  here: z.string().nullable(),
})
export type ReconciledDifference = z.infer<typeof ReconciledDifference>

export const reconcilePayments = operation({
  subject: 'orders.payment-account.reconcile',
  summary: 'Compare the payments and refunds that an account has at its provider with the rows, both ways; changes nothing',
  request: z.object({
    account_id: Id,
    since: Timestamp,
    until: Timestamp.nullish().describe('Objects and rows that were created later are not compared; the default is now.'),
    limit: z.int().min(1).max(10_000).default(1_000).describe('Most payments, and most refunds, that are listed; the newest ones.'),
  }),
  reply: z.object({
    account_id: Id,
    payments: ReconciledObjects,
    refunds: ReconciledObjects,
    differences: z.array(ReconciledDifference).describe('The first 1,000.'),
    total_count: z.int().describe('All differences.'),
  }),
  errors: [ResourceNotFound, Conflict],
  audience: 'operator',
})

export const replayProviderEvents = operation({
  subject: 'orders.provider-event.replay',
  summary: 'Read the objects of an account’s events since a time again, also of handled ones, and list what the provider still has',
  request: z.object({ account_id: Id, since: Timestamp.describe('At most 30 days ago: the provider lists no older events.') }),
  reply: z.object({ account_id: Id, replayed: z.int().describe('Events that were handled and are read again.') }),
  errors: [ResourceNotFound, RequestValidationError],
  audience: 'operator',
})
