import { z } from 'zod'
import { portal } from './customer-portal.ts'
import { ApiError, Conflict, ResourceNotFound } from './errors.ts'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** 409: a running subscription is charged with the payment method, and no other one is the default. */
export class PaymentMethodInUse extends ApiError {
  readonly status = 409
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
