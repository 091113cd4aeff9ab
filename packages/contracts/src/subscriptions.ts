import { z } from 'zod'
import { deprecatedSince } from './changes.ts'
import { PaymentError } from './checkouts.ts'
import { Customer } from './customers.ts'
import { DiscountSummary } from './discounts.ts'
import { ApiError, BadRequest, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { customerFilters, Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { Metadata, MetadataFilter } from './metadata.ts'
import { Amount, Currency } from './money.ts'
import { operation } from './operation.ts'
import { after, DocumentPart, ListReply, pageRequest, sorting } from './pagination.ts'
import { ProductPrice, RecurringInterval } from './product-prices.ts'
import { Product } from './products.ts'
import { PreviewedAt, ProrationBehavior, SubscriptionChangePreview, UnpaidChangeOrderId } from './subscription-changes.ts'
import { CancellationReason, nextPayment, statusFilters, SubscriptionStatus } from './subscription-status.ts'

/** 403: the subscription has ended or ends with the current period. */
export class AlreadyCanceledSubscription extends ApiError {
  readonly status = 403
}

/** 409: the first order or an order of an earlier change is not paid yet. */
export class SubscriptionUpdatePending extends ApiError {
  readonly status = 409
}

/** 410: a subscription that has ended cannot be resumed. */
export class ResourceUnavailable extends ApiError {
  readonly status = 410
}

const fields = {
  ...timestamps,
  id: Id,
  amount: Amount.describe('Amount per billing period: the price minus the discount.'),
  currency: Currency,
  recurring_interval: RecurringInterval,
  recurring_interval_count: z.literal(1),
  trial_start: Timestamp.nullable(),
  trial_end: Timestamp.nullable(),
  current_meter_period_start: z.null(),
  current_meter_period_end: z.null(),
  pause_at_period_end: z.literal(false).describe('Subscriptions cannot be paused.'),
  paused_at: z.null(),
  resumes_at: z.null(),
  status: SubscriptionStatus,
  current_period_start: Timestamp,
  current_period_end: Timestamp.nullable(),
  cancel_at_period_end: z.boolean(),
  canceled_at: Timestamp.nullable(),
  started_at: Timestamp.nullable(),
  ends_at: Timestamp.nullable(),
  ended_at: Timestamp.nullable(),
  customer_id: Id,
  product_id: Id,
  discount_id: Id.nullable(),
  checkout_id: Id.nullable(),
  customer_cancellation_reason: CancellationReason.nullable(),
  customer_cancellation_comment: z.string().nullable(),
  price_id: Id.meta(deprecatedSince('2025-03-14', 'use prices')),
  user_id: Id.meta({ deprecated: true, description: 'Deprecated; use customer_id.' }),
}

/** A subscription as returned to its customer inside an order. */
export const CustomerOrderSubscription = z.object(fields).meta({ id: 'CustomerOrderSubscription' })

/** A subscription as embedded in an order. */
export const OrderSubscription = z.object({ ...fields, metadata: Metadata }).meta({ id: 'OrderSubscription' })

/** In minor units; absent in replies and events of release 0.1.0. */
export const nextAmount = fields.amount
  .optional()
  .describe('Price of the next period less its discount, before added tax; of the planned product, if there is one.')

/** Prices of a subscription, and the deprecated single price. */
export const subscribedPrices = {
  prices: z.array(ProductPrice),
  meters: z.array(z.unknown()),
  pending_update: z.null().describe('Always null; see `pending_product_id`.'),
  pending_product_id: Id.nullish().describe('Product from the next period on.'),
  unpaid_change_order_id: UnpaidChangeOrderId,
  price: ProductPrice.meta(deprecatedSince('2025-03-14', 'use prices')),
}

/** A product with recurring payments of a customer. */
export const Subscription = z
  .object({
    ...fields,
    metadata: Metadata,
    custom_field_data: z.record(z.string(), z.unknown()),
    customer: Customer,
    product: Product,
    discount: DiscountSummary.nullable(),
    ...subscribedPrices,
    ...nextPayment,
  })
  .meta({ id: 'Subscription' })
export type Subscription = z.infer<typeof Subscription>

export const listSubscriptions = operation({
  subject: 'orders.subscription.list',
  summary: 'List subscriptions that have started',
  http: {
    method: 'GET',
    path: '/v1/subscriptions/',
    status: 200,
    scopes: ['subscriptions:read', 'subscriptions:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    product_id: oneOrMany(Id),
    ...customerFilters,
    discount_id: oneOrMany(Id),
    ...statusFilters,
    metadata: MetadataFilter,
    sorting: sorting(['customer', 'status', 'started_at', 'current_period_end', 'amount', 'product', 'discount'], '-started_at'),
  }),
  reply: ListReply(Subscription),
  errors: [],
})

export const exportSubscriptions = operation({
  subject: 'orders.subscription.export',
  summary: 'Export subscriptions that have started as CSV, oldest first; prices are in minor units',
  http: {
    method: 'GET',
    path: '/v1/subscriptions/export',
    status: 200,
    scopes: ['subscriptions:read', 'subscriptions:write'],
    callers: ['organization', 'user'],
    document: { contentType: 'text/csv; charset=utf-8', fileName: 'subscribers.csv' },
  },
  request: z.object({ organization_id: oneOrMany(Id), after }),
  reply: DocumentPart,
  errors: [],
})

const one = {
  path: '/v1/subscriptions/{id}',
  status: 200,
  scopes: ['subscriptions:write'],
  callers: ['organization', 'user'],
} as const

export const getSubscription = operation({
  subject: 'orders.subscription.get',
  summary: 'Get a subscription',
  http: { method: 'GET', ...one },
  request: z.object({ id: Id }),
  reply: Subscription,
  errors: [ResourceNotFound],
})

const cancellationFields = {
  customer_cancellation_reason: CancellationReason.nullish(),
  customer_cancellation_comment: z.string().max(2000).nullish(),
}

export const updateSubscription = operation({
  subject: 'orders.subscription.update',
  summary:
    'Change product or discount of a subscription, drop its planned change, cancel or uncancel it, or end it now; only the first of these in the request is applied',
  http: { method: 'PATCH', ...one },
  request: z.union([
    z.object({ id: Id, product_id: Id, proration_behavior: ProrationBehavior.nullish(), previewed_at: PreviewedAt }),
    z.object({ id: Id, discount_id: Id.nullable() }),
    z.object({ id: Id, pending_update: z.null() }),
    z.object({ id: Id, cancel_at_period_end: z.boolean(), ...cancellationFields }),
    z.object({ id: Id, revoke: z.literal(true), ...cancellationFields }),
  ]),
  reply: Subscription,
  errors: [
    RequestValidationError,
    ResourceNotFound,
    AlreadyCanceledSubscription,
    SubscriptionUpdatePending,
    PaymentError,
    BadRequest,
    ResourceUnavailable,
  ],
})

export const previewSubscriptionChange = operation({
  subject: 'orders.subscription.change-preview',
  summary: 'Preview what a change of product would bill; changes nothing',
  http: { method: 'POST', ...one, path: '/v1/subscriptions/{id}/change-preview' },
  request: z.object({ id: Id, product_id: Id, proration_behavior: ProrationBehavior.nullish() }),
  reply: SubscriptionChangePreview,
  errors: [RequestValidationError, ResourceNotFound, AlreadyCanceledSubscription, SubscriptionUpdatePending],
})

export const revokeSubscription = operation({
  subject: 'orders.subscription.revoke',
  summary: 'End a subscription immediately',
  http: { method: 'DELETE', ...one },
  request: z.object({ id: Id }),
  reply: Subscription,
  errors: [ResourceNotFound, AlreadyCanceledSubscription],
})

const eventFields = { publisher: 'orders', payload: Subscription } as const

export const subscriptionCreated = event({
  subject: 'event.subscription.created',
  webhookType: 'subscription.created',
  summary: 'A subscription was created; it becomes active with its first payment.',
  ...eventFields,
})

export const subscriptionUpdated = event({
  subject: 'event.subscription.updated',
  webhookType: 'subscription.updated',
  summary: 'A subscription changed; precedes the event that describes the change.',
  ...eventFields,
})

export const subscriptionActive = event({
  subject: 'event.subscription.active',
  webhookType: 'subscription.active',
  summary: 'A subscription became active: paid for the first time, or after it was past due.',
  ...eventFields,
})

export const subscriptionCanceled = event({
  subject: 'event.subscription.canceled',
  webhookType: 'subscription.canceled',
  summary: 'The end of a subscription was scheduled, moved or set to now.',
  ...eventFields,
})

export const subscriptionUncanceled = event({
  subject: 'event.subscription.uncanceled',
  webhookType: 'subscription.uncanceled',
  summary: 'The scheduled end of a subscription was withdrawn.',
  ...eventFields,
})

export const subscriptionRevoked = event({
  subject: 'event.subscription.revoked',
  webhookType: 'subscription.revoked',
  summary: 'A subscription ended or is no longer paid for; its customer loses access.',
  ...eventFields,
})
