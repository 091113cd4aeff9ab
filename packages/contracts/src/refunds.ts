import { z } from 'zod'
import { ApiError, Conflict, RequestValidationError } from './errors.ts'
import { event } from './event.ts'
import { customerFilters, Id, oneOrMany, timestamps } from './identifiers.ts'
import { Metadata, MetadataInput } from './metadata.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'
import { Order } from './orders.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'

/** 403: the order is fully refunded. */
export class RefundedAlready extends ApiError {
  readonly status = 403
}

/** 409: the payment is disputed, so the provider does not refund it. */
export class PaymentDisputed extends ApiError {
  readonly status = 409
}

/** 400: the amount exceeds the refundable amount. */
export class RefundAmountTooHigh extends ApiError {
  readonly status = 400
}

/** 400: benefits of a subscription are revoked when the subscription ends, not by a refund. */
export class RevokeSubscriptionBenefitsProhibited extends ApiError {
  readonly status = 400
}

/** 404: the order was never charged, so there is nothing to refund. */
export class RefundUnknownPayment extends ApiError {
  readonly status = 404
}

export const RefundReason = z.enum(['duplicate', 'fraudulent', 'customer_request', 'service_disruption', 'satisfaction_guarantee', 'other'])

/** A refund of an order. `amount` is without tax; the tax share is computed. */
export const Refund = z
  .object({
    id: Id,
    ...timestamps,
    metadata: Metadata,
    status: z.enum(['pending', 'succeeded', 'failed', 'canceled']),
    reason: RefundReason,
    amount: Amount.describe('Without tax.'),
    tax_amount: Amount,
    currency: Currency,
    organization_id: Id,
    order_id: Id,
    subscription_id: Id.nullable(),
    customer_id: Id,
    revoke_benefits: z.boolean(),
    dispute: z.null().describe('No dispute causes refunds.'),
  })
  .meta({ id: 'Refund' })
export type Refund = z.infer<typeof Refund>

export const createRefund = operation({
  subject: 'orders.refund.create',
  summary: 'Refund an order, in part or in full',
  http: { method: 'POST', path: '/v1/refunds/', status: 200, scopes: ['refunds:write'], callers: ['organization', 'user'] },
  request: z.object({
    order_id: Id,
    reason: RefundReason,
    amount: z.int().min(1).describe('In minor units, without tax.'),
    comment: z.string().max(2000).nullish().describe('For your own records; not returned.'),
    revoke_benefits: z.boolean().default(false),
    metadata: MetadataInput.default({}),
  }),
  reply: Refund,
  errors: [
    RequestValidationError,
    RefundAmountTooHigh,
    RefundedAlready,
    RefundUnknownPayment,
    RevokeSubscriptionBenefitsProhibited,
    PaymentDisputed,
    Conflict,
  ],
})

export const listRefunds = operation({
  subject: 'orders.refund.list',
  summary: 'List refunds',
  http: { method: 'GET', path: '/v1/refunds/', status: 200, scopes: ['refunds:read', 'refunds:write'], callers: ['organization', 'user'] },
  request: z.object({
    ...pageRequest,
    id: oneOrMany(Id),
    organization_id: oneOrMany(Id),
    order_id: oneOrMany(Id),
    subscription_id: oneOrMany(Id),
    ...customerFilters,
    succeeded: z.boolean().optional().describe('`true`: succeeded refunds only; `false`: all refunds.'),
    sorting: sorting(['created_at', 'amount'], '-created_at'),
  }),
  reply: ListReply(Refund),
  errors: [],
})

export const refundCreated = event({
  subject: 'event.refund.created',
  publisher: 'orders',
  webhookType: 'refund.created',
  summary: 'A refund was created.',
  payload: Refund,
})

export const refundUpdated = event({
  subject: 'event.refund.updated',
  publisher: 'orders',
  webhookType: 'refund.updated',
  summary: 'A refund was reversed; order.updated follows.',
  payload: Refund,
})

export const orderRefunded = event({
  subject: 'event.order.refunded',
  publisher: 'orders',
  webhookType: 'order.refunded',
  summary: 'An order was refunded, in part or in full; follows refund.created and order.updated.',
  payload: Order,
})
