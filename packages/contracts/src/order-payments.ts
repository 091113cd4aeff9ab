import { z } from 'zod'
import { PaymentInProgress } from './customer-payments.ts'
import { Conflict, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id } from './identifiers.ts'
import { operation } from './operation.ts'
import { Order } from './orders.ts'
import { PaymentMoment } from './payment-operations.ts'
import { Payment } from './payments.ts'
import { TransferInstructions } from './transfer-instructions.ts'

export const getPaymentTimeline = operation({
  subject: 'orders.payment.timeline',
  summary: 'Get what happened to a payment, oldest first',
  http: { method: 'GET', path: '/v1/payments/{id}/timeline', status: 200, scopes: ['payments:read'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: z.object({ payment_id: Id, items: z.array(PaymentMoment) }),
  errors: [ResourceNotFound],
})

export const retryOrderPayment = operation({
  subject: 'orders.order.retry-payment',
  summary: 'Charge an unpaid order of a subscription now, without the buyer; the schedule stays as it is',
  http: { method: 'POST', path: '/v1/orders/{id}/retry-payment', status: 200, scopes: ['orders:write'], callers: ['organization', 'user'] },
  request: z.object({ id: Id }),
  reply: Payment.describe('A declined one is `failed`, with its reason; one without a result yet is `pending`.'),
  errors: [ResourceNotFound, Conflict, PaymentInProgress],
})

/** An order with the payment that the event is about. */
export const OrderPayment = Order.extend({ payment: Payment }).meta({ id: 'OrderPayment' })
export type OrderPayment = z.infer<typeof OrderPayment>

/** An order that only its buyer can pay. */
export const OrderPaymentAction = OrderPayment.extend({
  transfer: TransferInstructions.optional().describe('How the buyer sends the money; absent if the portal takes the payment.'),
}).meta({ id: 'OrderPaymentAction' })
export type OrderPaymentAction = z.infer<typeof OrderPaymentAction>

export const orderPaymentFailed = event({
  subject: 'event.order.payment_failed',
  publisher: 'orders',
  webhookType: 'order.payment_failed',
  summary: 'A payment of an order failed; `payment` has the reason. The order can still be paid.',
  payload: OrderPayment,
})

export const orderPaymentActionRequired = event({
  subject: 'event.order.payment_action_required',
  publisher: 'orders',
  webhookType: 'order.payment_action_required',
  summary:
    'Only the buyer can pay the order. The stored method was declined in a way that a later attempt does not change: the portal takes the payment. Or the buyer is asked to send the money by bank transfer: `transfer` has the account and the reference of this request.',
  payload: OrderPaymentAction,
})
