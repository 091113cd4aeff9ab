import { z } from 'zod'
import { PaymentError } from './checkouts.ts'
import { portal } from './customer-portal.ts'
import { ApiError, Conflict, NotPermitted, RequestValidationError, ResourceNotFound, TooManyRequests } from './errors.ts'
import { event } from './event.ts'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** 409: a running subscription is charged with the payment method, and no other one is the default. */
export class PaymentMethodInUse extends ApiError {
  readonly status = 409
}

/**
 * 400: the payment method is not stored yet. With a `client_secret` the buyer has to confirm it in the provider's form; without one the provider
 * has not answered. In both cases `setup_id` is confirmed afterwards.
 */
export class PaymentMethodActionRequired extends ApiError {
  readonly status = 400
  readonly setupId: string
  readonly clientSecret: string | null

  constructor(detail: string, { setupId, clientSecret }: { setupId: string; clientSecret: string | null }) {
    super(detail)
    this.setupId = setupId
    this.clientSecret = clientSecret
  }

  override toBody(): Record<string, unknown> {
    return { ...super.toBody(), setup_id: this.setupId, client_secret: this.clientSecret }
  }
}

const Card = z
  .object({ brand: z.string(), last4: z.string(), exp_month: z.int(), exp_year: z.int(), wallet: z.string().nullable() })
  .meta({ id: 'PaymentMethodCardData' })

/** A stored payment method of a customer. Card numbers are known to the provider only. */
export const CustomerPaymentMethod = z
  .object({
    id: Id,
    created_at: Timestamp,
    modified_at: Timestamp.nullable(),
    customer_id: Id,
    processor: z.literal('stripe').describe('The only value that clients know.'),
    type: z.string().describe('For example `card`.'),
    default: z.boolean().describe('Whether subscriptions that name no payment method are charged with it.'),
    is_default: z.boolean().describe('The same, as later clients read it.'),
    is_blocked: z.boolean().describe('A payment with it is disputed: it is not charged.'),
    card: Card.optional().describe('Of a card.'),
    method_metadata: Card.optional().describe('The same, as later clients read it.'),
  })
  .meta({ id: 'CustomerPaymentMethod' })
export type CustomerPaymentMethod = z.infer<typeof CustomerPaymentMethod>

const path = '/v1/customer-portal/customers/me/payment-methods'

export const listCustomerPaymentMethods = operation({
  subject: 'orders.customer-payment-method.list',
  summary: 'List your stored payment methods, newest first; a session bound to a checkout sees none',
  http: { method: 'GET', path, status: 200, ...portal },
  request: z.object({ ...pageRequest }),
  reply: ListReply(CustomerPaymentMethod),
  errors: [],
})

/** A method as it was stored. Later clients read `status` and `payment_method`, that of June 2025 the method itself. */
export const StoredPaymentMethod = CustomerPaymentMethod.extend({
  status: z.literal('succeeded'),
  payment_method: CustomerPaymentMethod.describe('The same, as later clients read it.'),
}).meta({ id: 'StoredPaymentMethod' })
export type StoredPaymentMethod = z.infer<typeof StoredPaymentMethod>

const storing = [RequestValidationError, NotPermitted, PaymentError, PaymentMethodActionRequired, ResourceNotFound] as const

export const addCustomerPaymentMethod = operation({
  subject: 'orders.customer-payment-method.add',
  summary: 'Store a payment method for later orders, without a payment',
  http: { method: 'POST', path, status: 201, ...portal, limitedByNetwork: true },
  request: z.object({
    confirmation_token_id: z.string().min(1).max(255).describe('Of the provider’s form.'),
    set_default: z
      .boolean()
      .default(false)
      .describe('Whether your subscriptions are charged with it from now on. The first one always is.'),
    return_url: z
      .url({ protocol: /^https?$/ })
      .max(2083)
      .nullish()
      .describe('Where the provider sends you back to from a page of a bank.'),
  }),
  reply: StoredPaymentMethod,
  errors: [...storing, TooManyRequests],
})

export const confirmCustomerPaymentMethod = operation({
  subject: 'orders.customer-payment-method.confirm',
  summary: 'Complete the storage of a payment method that you had to confirm',
  http: { method: 'POST', path: `${path}/confirm`, status: 201, ...portal },
  request: z.object({ setup_id: Id.describe('Of the error `PaymentMethodActionRequired`.') }),
  reply: StoredPaymentMethod,
  errors: storing,
})

export const deleteCustomerPaymentMethod = operation({
  subject: 'orders.customer-payment-method.delete',
  summary: 'Delete one of your stored payment methods, here and at its provider',
  http: { method: 'DELETE', path: `${path}/{id}`, status: 204, ...portal },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound, PaymentMethodInUse],
})

export const setDefaultCustomerPaymentMethod = operation({
  subject: 'orders.customer-payment-method.set-default',
  summary: 'Charge your subscriptions with one of your stored payment methods from now on',
  http: { method: 'POST', path: `${path}/{id}/default`, status: 200, ...portal },
  request: z.object({ id: Id }),
  reply: CustomerPaymentMethod,
  errors: [ResourceNotFound, Conflict],
})

export const listPaymentMethodsOfCustomer = operation({
  subject: 'orders.customer.list-payment-methods',
  summary: 'List the stored payment methods of a customer, newest first',
  http: {
    method: 'GET',
    path: '/v1/customers/{id}/payment-methods',
    status: 200,
    scopes: ['customers:read'],
    callers: ['organization', 'user'],
  },
  request: z.object({ ...pageRequest, id: Id }),
  reply: ListReply(CustomerPaymentMethod),
  errors: [ResourceNotFound],
})

/** A stored method as it is published: also one that was deleted. */
export const ChangedPaymentMethod = CustomerPaymentMethod.extend({
  is_detached: z.boolean().describe('It was deleted, here or at its provider, and is never charged again.'),
}).meta({ id: 'ChangedPaymentMethod' })
export type ChangedPaymentMethod = z.infer<typeof ChangedPaymentMethod>

export const paymentMethodUpdated = event({
  subject: 'event.payment_method.updated',
  publisher: 'orders',
  webhookType: 'payment_method.updated',
  summary:
    'A stored payment method of a customer changed: its card was renewed, it became the default or no longer is, a dispute blocks it, or it was deleted here or at its provider.',
  payload: ChangedPaymentMethod,
})
