import { z } from 'zod'
import { PaymentError } from './checkouts.ts'
import { portal } from './customer-portal.ts'
import { ApiError, Conflict, RequestValidationError, ResourceNotFound, TooManyRequests } from './errors.ts'
import { Id } from './identifiers.ts'
import { operation } from './operation.ts'

/** 409: another payment of the order is in progress, or can still be paid at the provider. */
export class PaymentInProgress extends ApiError {
  readonly status = 409
}

/** Result of a payment by the buyer; a declined one is 400 `PaymentError`. */
export const CustomerOrderPaymentConfirmation = z
  .object({
    status: z.enum(['succeeded', 'requires_action', 'processing']).describe('`processing`: the result follows; get the order again.'),
    client_secret: z.string().nullable().describe('With `requires_action`: lets the provider’s form ask the buyer to confirm.'),
    error: z.null(),
  })
  .meta({ id: 'CustomerOrderPaymentConfirmation' })
export type CustomerOrderPaymentConfirmation = z.infer<typeof CustomerOrderPaymentConfirmation>

export const confirmOrderPayment = operation({
  subject: 'orders.customer-order.confirm-payment',
  summary: 'Pay one of your unpaid orders of a subscription, with a new or a stored payment method',
  http: { method: 'POST', path: '/v1/customer-portal/orders/{id}/confirm-payment', status: 200, ...portal, limitedByNetwork: true },
  request: z.object({
    id: Id,
    confirmation_token_id: z.string().min(1).max(255).nullish().describe('Of the provider’s form; stored for later orders once paid.'),
    payment_method_id: Id.nullish().describe('A stored payment method, instead of a token.'),
  }),
  reply: CustomerOrderPaymentConfirmation,
  errors: [RequestValidationError, ResourceNotFound, PaymentError, PaymentInProgress, Conflict, TooManyRequests],
})
