import { setTimeout as wait } from 'node:timers/promises'
import { LockMode } from '@mikro-orm/core'
import { Conflict, RequestValidationError } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import {
  createRefund as contract,
  PaymentDisputed,
  RefundUnknownPayment,
  RevokeSubscriptionBenefitsProhibited,
} from '@quittance/contracts/refunds'
import { staged, type CommandContext, type FinishContext } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import { Order } from '../orders/order.ts'
import { callLeaseMs } from '../payments/calls-in-progress.ts'
import { Payment } from '../payments/payment.ts'
import { loadProviderAccount } from '../payments/provider-account.ts'
import { hasProvider } from '../providers/provider-of.ts'
import { refundsInProgress } from './check-due-refunds.ts'
import { driveRefund } from './drive-refund.ts'
import { newRefundState, Refund, refundView } from './refund.ts'

/** A request does not wait longer than this for the provider; a refund without a result by then is `pending`. */
const waitMs = 3_000

interface RecordedRefund {
  id: string
  organizationId: string
  /** The request holds it until the first call. */
  lease: string
}

/**
 * Records a refund with its id and reserves it on the order and the payment, then calls the provider under a key of that id, then records
 * the result. Reservations of an order are serialized, so refunds never exceed what was paid.
 */
export const createRefund = staged(contract, {
  commit: recordRefund,
  async finish({ id, organizationId, lease }, context) {
    await Promise.race([drive({ id, organizationId, lease }, context), wait(waitMs, undefined, { ref: false })])
    return context.read.one(refundView, { where: 'r.id = :id', values: { id } })
  },
})

function drive(recorded: RecordedRefund, context: FinishContext): Promise<void> {
  return refundsInProgress.run(recorded.id, () => driveRefund(recorded, { ...context, leaseMs: callLeaseMs }))
}

/** A refund of this much of the net amount of an order of a subscription. */
export interface ReservedRefund {
  orderId: string
  subscriptionId: string
  amount: bigint
  /** It was made at the provider, with this tax, so that it cannot be rejected. */
  made?: { taxAmount: bigint }
}

/** Before the order of a subscription is locked for a refund. */
export const beforeRefundReserved = reactionPoint<ReservedRefund>('orders.refund.reserved')

/** Before a dispute the bank only asks; after one that was won or closed the payment can be refunded again. */
const findDispute = `
  select 1 from disputes where payment_id = :payment_id and status in ('needs_response', 'under_review', 'lost')
    and organization_id = any (:scope_organizations) limit 1`

async function recordRefund(
  { order_id, reason, amount, ...request }: RequestOf<typeof contract>,
  { em, now, react, sql }: CommandContext,
): Promise<RecordedRefund> {
  const subscriptionId = (await em.findOne(Order, { id: order_id }, { disableIdentityMap: true }))?.subscriptionId
  if (subscriptionId) await react(beforeRefundReserved, { orderId: order_id, subscriptionId, amount: BigInt(amount) })
  const order = await em.findOne(Order, { id: order_id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!order) throw RequestValidationError.field(['order_id'], 'Order not found.')
  if (request.revoke_benefits && order.subscriptionId) {
    throw new RevokeSubscriptionBenefitsProhibited('Subscription benefits can only be revoked upon cancellation')
  }
  const payment = await em.findOne(Payment, { orderId: order.id, appliedAt: { $ne: null } })
  if (!payment) throw new RefundUnknownPayment(`Refund issued for unknown order: ${order.id}`)
  const disputed = await sql('refund.find-dispute', findDispute, { payment_id: payment.id })
  if (disputed.length > 0) throw new PaymentDisputed('The payment is disputed by the buyer’s bank, which decides about the money.')
  const account = await loadProviderAccount(sql, payment)
  if (!hasProvider(account))
    throw new Conflict(`The order was paid with ${account.provider}, which this installation does not offer any more.`)
  const taxAmount = order.reserveRefund(BigInt(amount))
  const { organizationId, currency } = order
  const leasedUntil = new Date(now.getTime() + callLeaseMs)
  const { id } = em.create(Refund, {
    ...newRefundState,
    organizationId,
    orderId: order.id,
    paymentId: payment.id,
    purpose: 'order',
    reason,
    amount: BigInt(amount),
    taxAmount,
    currency,
    comment: request.comment ?? null,
    revokeBenefits: request.revoke_benefits,
    metadata: request.metadata,
    nextCheckAt: now,
    leasedUntil,
  })
  return { id, organizationId, lease: leasedUntil.toISOString() }
}
