import { LockMode } from '@mikro-orm/core'
import { RequestValidationError } from '@quittance/contracts/errors'
import { orderUpdated } from '@quittance/contracts/orders'
import {
  createRefund as contract,
  orderRefunded,
  refundCreated,
  RefundUnknownPayment,
  RevokeSubscriptionBenefitsProhibited,
} from '@quittance/contracts/refunds'
import { command } from '@quittance/runtime/handler'
import { revokeBenefits } from '../benefits/entitlement.ts'
import { tellCustomerState } from '../customers/tell-customer-state.ts'
import { Order } from '../orders/order.ts'
import { orderView } from '../orders/order-view.ts'
import { tellInvoiceRequested } from '../orders/tell-invoice-requested.ts'
import { Payment } from '../payments/payment.ts'
import { sandboxProcessor } from '../payments/sandbox-processor.ts'
import { Refund } from './refund.ts'
import { refundView } from './refund-view.ts'

/** One refund of an order at a time, so that never more is given back than was paid. */
export const createRefund = command(contract, async ({ order_id, reason, amount, ...request }, context) => {
  const { em, now, read, publish } = context
  const order = await em.findOne(Order, { id: order_id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!order) throw RequestValidationError.field(['order_id'], 'Order not found.')
  if (request.revoke_benefits && order.subscriptionId) {
    throw new RevokeSubscriptionBenefitsProhibited('Subscription benefits can only be revoked upon cancellation')
  }
  const payment = await em.findOne(Payment, { orderId: order.id, status: 'succeeded' })
  if (!payment) throw new RefundUnknownPayment(`Refund issued for unknown order: ${order.id}`)
  const taxAmount = order.refund(BigInt(amount))
  const { organizationId, currency } = order
  const refund = em.create(Refund, {
    organizationId,
    orderId: order.id,
    status: 'succeeded',
    reason,
    amount: BigInt(amount),
    taxAmount,
    currency,
    comment: request.comment ?? null,
    revokeBenefits: request.revoke_benefits,
    metadata: request.metadata,
    dueAt: null,
    leasedUntil: null,
  })
  await em.flush()
  const { confirmationToken } = payment
  const made = { refundId: refund.id, paymentId: payment.id, amount: BigInt(amount) + taxAmount, currency, confirmationToken }
  const { checkAfterMs } = await sandboxProcessor.refund(made)
  if (checkAfterMs !== null) refund.dueAt = new Date(now.getTime() + checkAfterMs)
  await em.flush()
  const view = await read.one(refundView, { where: 'r.id = :id', values: { id: refund.id } })
  const orderNow = {
    aggregateId: order.id,
    organizationId,
    payload: await read.one(orderView, { where: 'o.id = :id', values: { id: order.id } }),
  }
  // All about the order, so that they are told in this order.
  publish({ event: refundCreated, aggregateId: order.id, organizationId, payload: view })
  publish({ event: orderUpdated, ...orderNow })
  publish({ event: orderRefunded, ...orderNow })
  if (order.invoiceRequestedAt) await tellInvoiceRequested(order, context)
  if (request.revoke_benefits) {
    for (const customerId of await revokeBenefits(context, { orderId: order.id })) await tellCustomerState(context, customerId)
  }
  return view
})
