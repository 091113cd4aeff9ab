import { z } from 'zod'
import { PaymentInProgress } from './customer-payments.ts'
import { Conflict, ResourceNotFound } from './errors.ts'
import { Id } from './identifiers.ts'
import { operation } from './operation.ts'
import { PaymentMoment } from './payment-operations.ts'
import { Payment } from './payments.ts'

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
