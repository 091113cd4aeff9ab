import { z } from 'zod'
import { ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

export const PaymentStatus = z.enum(['pending', 'succeeded', 'failed'])

/** Why a payment was made: by the buyer, for a period of a subscription, or again after a decline. */
const PaymentTrigger = z.enum([
  'purchase',
  'subscription_cycle',
  'retry_dunning',
  'retry_customer',
  'retry_payment_method_update',
  'retry_admin',
])

/** What an open payment waits for. `under_review` waits for a person; all others are checked at `next_check_at`. */
export const PendingReason = z.enum([
  'waiting_for_provider',
  'waiting_for_buyer',
  'waiting_for_transfer',
  'answer_unknown',
  'account_misconfigured',
  'under_review',
  'closing',
])
export type PendingReason = z.infer<typeof PendingReason>

/** One attempt to pay an order. An order has several if earlier ones were declined. */
export const Payment = z
  .object({
    id: Id,
    ...timestamps,
    processor: z.literal('stripe').describe('The only value that clients know; `provider` is the true one.'),
    provider: z.string().describe('`sandbox` moves no money.'),
    mode: z.enum(['test', 'live']),
    status: PaymentStatus,
    amount: Amount,
    currency: Currency,
    method: z.string().describe('For example `card`.'),
    method_metadata: z.object({ brand: z.string(), last4: z.string() }).nullish().describe('Of a stored card.'),
    trigger: PaymentTrigger.nullable(),
    decline_reason: z.string().nullable(),
    decline_message: z.string().nullable(),
    pending_reason: PendingReason.nullable().describe('What an open payment waits for; null once it is final.'),
    pending_message: z.string().nullable().describe('The same as a sentence.'),
    next_check_at: Timestamp.nullable().describe('When an open payment is checked next.'),
    organization_id: Id,
    checkout_id: Id.nullable(),
    order_id: Id.nullable(),
  })
  .meta({ id: 'Payment' })
export type Payment = z.infer<typeof Payment>

export const listPayments = operation({
  subject: 'orders.payment.list',
  summary: 'List payments',
  http: { method: 'GET', path: '/v1/payments/', status: 200, scopes: ['payments:read'], callers: ['organization', 'user'] },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    checkout_id: oneOrMany(Id),
    order_id: oneOrMany(Id),
    status: oneOrMany(PaymentStatus),
    method: oneOrMany(z.string().max(100)),
    customer_id: oneOrMany(Id),
    customer_email: oneOrMany(z.string().max(320)),
    sorting: sorting(['created_at', 'status', 'amount', 'method'], '-created_at'),
  }),
  reply: ListReply(Payment),
  errors: [],
})

export const getPayment = operation({
  subject: 'orders.payment.get',
  summary: 'Get a payment',
  http: { method: 'GET', path: '/v1/payments/{id}', status: 200, scopes: ['payments:read'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: Payment,
  errors: [ResourceNotFound],
})

export const paymentCreated = event({
  subject: 'event.payment.created',
  publisher: 'orders',
  webhookType: 'payment.created',
  summary: 'A payment of an order was started.',
  payload: Payment,
})

export const paymentUpdated = event({
  subject: 'event.payment.updated',
  publisher: 'orders',
  webhookType: 'payment.updated',
  summary:
    'A payment succeeded or failed, waits for its buyer or for the provider, or is under review. Checks that change nothing are not published.',
  payload: Payment,
})
