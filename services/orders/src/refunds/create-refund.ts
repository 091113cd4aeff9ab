import { setTimeout as wait } from 'node:timers/promises'
import { LockMode } from '@mikro-orm/core'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { createRefund as contract, RefundUnknownPayment, RevokeSubscriptionBenefitsProhibited } from '@quittance/contracts/refunds'
import { staged, type CommandContext } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { Order } from '../orders/order.ts'
import { Payment } from '../payments/payment.ts'
import { paymentProcessor } from '../payments/processor.ts'
import { Refund, refundView } from './refund.ts'
import { submitOrDefer } from './submit-refund.ts'

/** Total wait of a request, shorter than the gateway's; a refund without a result by then is `pending`. */
const requestTimeoutMs = 8_000

/**
 * Records a refund with its id and reserves it on the order, then calls the processor with that id, then records the result. Reservations
 * of an order are serialized, so refunds never exceed what was paid.
 */
export const createRefund = staged(contract, {
  commit: recordRefund,
  async finish({ id }, context) {
    await Promise.race([submitOrDefer(id, context), wait(requestTimeoutMs, undefined, { ref: false })])
    return context.read.one(refundView, { where: 'r.id = :id', values: { id } })
  },
})

/** Before the order of a subscription is locked for a refund of this much of its net amount. */
export const beforeRefundReserved = reactionPoint<{ orderId: string; subscriptionId: string; amount: bigint }>('orders.refund.reserved')

async function recordRefund(
  { order_id, reason, amount, ...request }: RequestOf<typeof contract>,
  { em, now, react }: CommandContext,
): Promise<{ id: string }> {
  const subscriptionId = (await em.findOne(Order, { id: order_id }, { disableIdentityMap: true }))?.subscriptionId
  if (subscriptionId) await react(beforeRefundReserved, { orderId: order_id, subscriptionId, amount: BigInt(amount) })
  const order = await em.findOne(Order, { id: order_id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!order) throw RequestValidationError.field(['order_id'], 'Order not found.')
  if (request.revoke_benefits && order.subscriptionId) {
    throw new RevokeSubscriptionBenefitsProhibited('Subscription benefits can only be revoked upon cancellation')
  }
  const payment = await em.findOne(Payment, { orderId: order.id, status: 'succeeded' })
  if (!payment) throw new RefundUnknownPayment(`Refund issued for unknown order: ${order.id}`)
  if (!paymentProcessor()) throw new NotPermitted('Payments and refunds are disabled on this installation.')
  const taxAmount = order.reserveRefund(BigInt(amount))
  const { organizationId, currency } = order
  const { id } = em.create(Refund, {
    organizationId,
    orderId: order.id,
    status: 'pending',
    reason,
    amount: BigInt(amount),
    taxAmount,
    currency,
    comment: request.comment ?? null,
    revokeBenefits: request.revoke_benefits,
    metadata: request.metadata,
    // Until then the request itself submits it. Otherwise the job would lease it first, and the request could only reply that it is
    // pending.
    nextCheckAt: new Date(now.getTime() + requestTimeoutMs),
    dueAt: null,
    leasedUntil: null,
  })
  return { id }
}
