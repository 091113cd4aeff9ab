import { z } from 'zod'
import { PaymentError } from './checkouts.ts'
import { CustomerOrderProduct, portal } from './customer-portal.ts'
import { ApiError, BadRequest, NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, oneOrMany } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { PreviewedAt, SubscriptionChangePreview } from './subscription-changes.ts'
import { CancellationReason, nextPayment } from './subscription-status.ts'
import {
  AlreadyCanceledSubscription,
  CustomerOrderSubscription,
  ResourceUnavailable,
  nextAmount,
  subscribedPrices,
  SubscriptionUpdatePending,
} from './subscriptions.ts'

/** 403: the seller does not allow customers to change the product themselves. */
export class UpdateSubscriptionNotAllowed extends ApiError {
  readonly status = 403
}

/** A subscription as returned to its customer. */
export const CustomerSubscription = CustomerOrderSubscription.extend({
  product: CustomerOrderProduct,
  ...subscribedPrices,
  ...nextPayment,
  is_polar_managed: z.literal(true).describe('Renewals are charged by this system.'),
  next_amount: nextAmount,
  is_change_payable: z
    .boolean()
    .optional()
    .describe('Whether only you can pay the order in `unpaid_change_order_id`; otherwise its payment is in progress.'),
  has_payment_method: z.boolean().optional().describe('Whether it names a payment method; a trial without one ends without a charge.'),
  payment_method_id: Id.nullable().optional().describe('The payment method that it names.'),
  uses_default_payment_method: z
    .boolean()
    .optional()
    .describe(
      'Whether a new default is charged for it. False if its buyer only typed your e-mail address, until you choose something for it.',
    ),
}).meta({ id: 'CustomerSubscription' })
export type CustomerSubscription = z.infer<typeof CustomerSubscription>

export const listCustomerSubscriptions = operation({
  subject: 'orders.customer-subscription.list',
  summary: 'List your subscriptions',
  http: { method: 'GET', path: '/v1/customer-portal/subscriptions/', status: 200, ...portal },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    product_id: oneOrMany(Id),
    active: z.boolean().optional(),
    query: z.string().max(200).optional(),
    sorting: sorting(['started_at', 'amount', 'status', 'organization', 'product'], '-started_at'),
  }),
  reply: ListReply(CustomerSubscription),
  errors: [],
})

const oneSubscription = { path: '/v1/customer-portal/subscriptions/{id}', status: 200, ...portal } as const

export const getCustomerSubscription = operation({
  subject: 'orders.customer-subscription.get',
  summary: 'Get one of your subscriptions',
  http: { method: 'GET', ...oneSubscription },
  request: z.object({ id: Id }),
  reply: CustomerSubscription,
  errors: [ResourceNotFound],
})

const customerChange = {
  proration_behavior: z.literal('next_period').nullish().describe('Without it, the change is as the seller has set.'),
}

export const previewCustomerSubscriptionChange = operation({
  subject: 'orders.customer-subscription.change-preview',
  summary: 'Preview what a change of the product of one of your subscriptions would bill; changes nothing',
  http: { method: 'POST', ...oneSubscription, path: '/v1/customer-portal/subscriptions/{id}/change-preview' },
  request: z.object({ id: Id, product_id: Id, ...customerChange }),
  reply: SubscriptionChangePreview,
  errors: [RequestValidationError, ResourceNotFound, AlreadyCanceledSubscription, UpdateSubscriptionNotAllowed, SubscriptionUpdatePending],
})

export const updateCustomerSubscription = operation({
  subject: 'orders.customer-subscription.update',
  summary:
    'Change the product of one of your subscriptions or how it is paid, drop its planned change, cancel it, or withdraw the cancellation',
  http: { method: 'PATCH', ...oneSubscription },
  request: z.union([
    z.object({ id: Id, product_id: Id, ...customerChange, previewed_at: PreviewedAt }),
    z.object({
      id: Id,
      product_id: z.never().optional(),
      payment_method_id: Id.describe(
        'Charged for it from now on, and what is overdue at once; not permitted in a session bound to a checkout.',
      ),
    }),
    z.object({ id: Id, product_id: z.never().optional(), payment_method_id: z.never().optional(), pending_update: z.null() }),
    z.object({
      id: Id,
      product_id: z.never().optional(),
      payment_method_id: z.never().optional(),
      pending_update: z.never().optional(),
      cancel_at_period_end: z.boolean().nullish(),
      cancellation_reason: CancellationReason.nullish(),
      cancellation_comment: z.string().max(2000).nullish(),
    }),
  ]),
  reply: CustomerSubscription,
  errors: [
    RequestValidationError,
    ResourceNotFound,
    AlreadyCanceledSubscription,
    UpdateSubscriptionNotAllowed,
    NotPermitted,
    SubscriptionUpdatePending,
    PaymentError,
    BadRequest,
    ResourceUnavailable,
  ],
})

export const cancelCustomerSubscription = operation({
  subject: 'orders.customer-subscription.cancel',
  summary: 'Cancel one of your subscriptions at the end of the period',
  http: { method: 'DELETE', ...oneSubscription },
  request: z.object({ id: Id }),
  reply: CustomerSubscription,
  errors: [ResourceNotFound, AlreadyCanceledSubscription],
})
