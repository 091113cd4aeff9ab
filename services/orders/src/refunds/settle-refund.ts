import { LockMode } from '@mikro-orm/core'
import { orderUpdated } from '@quittance/contracts/orders'
import { orderRefunded, refundCreated, refundUpdated } from '@quittance/contracts/refunds'
import type { Transaction } from '@quittance/runtime/handler'
import { revokeBenefits } from '../entitlements/entitlement.ts'
import { reinstateBenefits } from '../entitlements/reinstate-benefits.ts'
import { publishCustomerState } from '../customers/customer-state.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Order } from '../orders/order.ts'
import { orderView } from '../orders/order-view.ts'
import { publishInvoiceRequested } from '../orders/request-invoice.ts'
import { Payment } from '../payments/payment.ts'
import { checkDueRefundsJobName } from '../job-names.ts'
import type { RefundProgress } from './refund-progress.ts'
import { newRefundState, Refund, refundView } from './refund.ts'

interface LockedRefund {
  order: Order
  payment: Payment
  refund: Refund
}

const concerned = `
  select r.order_id, r.payment_id, case when r.revoke_benefits then o.customer_id end as revoked_customer_id
  from refunds r join orders o on o.id = r.order_id where r.id = :id and r.organization_id = any (:scope_organizations)`

/** Locks what a refund changes, in the order that all transactions keep: customer, order, payment, refund. */
export async function lockRefund({ em, sql }: Transaction, id: string): Promise<LockedRefund> {
  const [row] = await sql<{ order_id: string; payment_id: string; revoked_customer_id: string | null }>('refund.concerned', concerned, {
    id,
  })
  if (!row) throw new Error(`Refund ${id} does not exist`)
  if (row.revoked_customer_id) await lockCustomer(sql, row.revoked_customer_id)
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const order = await em.findOneOrFail(Order, { id: row.order_id }, { lockMode })
  const payment = await em.findOneOrFail(Payment, { id: row.payment_id }, { lockMode })
  return { order, payment, refund: await em.findOneOrFail(Refund, { id }, { lockMode }) }
}

interface Settlement {
  order: Order
  refund: Refund
  progress: RefundProgress
  nextCheckAt: Date | null
}

/** Stores a new progress with everything that follows from it. The caller has locked everything with `lockRefund`. */
export async function settleRefund(context: Transaction, { order, refund, progress, nextCheckAt }: Settlement): Promise<void> {
  const before = refund.state
  refund.apply(progress, { now: context.now, nextCheckAt })
  if (refund.state === before) return
  if (refund.purpose === 'surplus') return returnAgain(context, refund)
  if (refund.state === 'processing') await publishRefund(context, refund)
  if (refund.state === 'succeeded') await publishSuccess(context, { order, refund })
  if (refund.state === 'failed' || refund.state === 'canceled')
    await publishFailure(context, { order, refund, wasMade: before === 'succeeded' })
}

async function publishSuccess(context: Transaction, { order, refund }: Pick<Settlement, 'order' | 'refund'>): Promise<void> {
  order.refund(refund)
  await publishRefund(context, refund)
  await publishOrder(context, { order, isRefund: true })
  if (!refund.revokeBenefits) return
  for (const customerId of await revokeBenefits(context, { orderId: order.id })) await publishCustomerState(context, customerId)
}

/** The amount counts as paid again. The invoice service then reverses the credit note of a refund that was made. */
async function publishFailure(
  context: Transaction,
  { order, refund, wasMade }: Pick<Settlement, 'order' | 'refund'> & { wasMade: boolean },
): Promise<void> {
  if (wasMade) order.reverseRefund(refund)
  else order.releaseRefund(refund)
  const wasPublished = Boolean(refund.publishedAt)
  await publishRefund(context, refund)
  if (wasPublished) await publishOrder(context, { order, isRefund: false })
  if (wasMade && refund.revokeBenefits) await restoreBenefits(context, { order, refund })
}

/** Grants what a refund revoked whose money came back, unless another refund of the order revoked it too. */
async function restoreBenefits(context: Transaction, { order, refund }: Pick<Settlement, 'order' | 'refund'>): Promise<void> {
  const { id: orderId, customerId } = order
  const others = await context.em.count(Refund, { orderId, revokeBenefits: true, state: 'succeeded', id: { $ne: refund.id } })
  if (others > 0) return
  if (await reinstateBenefits(context, { orderId, customerId })) await publishCustomerState(context, customerId)
}

/** Publishes a refund: at first as created, later as updated. The order is the aggregate, so its events follow in this sequence. */
async function publishRefund({ read, publish, now }: Transaction, refund: Refund): Promise<void> {
  const event = refund.publishedAt ? refundUpdated : refundCreated
  refund.publishedAt ??= now
  const payload = await read.one(refundView, { where: 'r.id = :id', values: { id: refund.id } })
  publish({ event, aggregateId: refund.orderId, organizationId: refund.organizationId, payload })
}

async function publishOrder(context: Transaction, { order, isRefund }: { order: Order; isRefund: boolean }): Promise<void> {
  const { read, publish } = context
  const { id, organizationId } = order
  const payload = await read.one(orderView, { where: 'o.id = :id', values: { id } })
  publish({ event: orderUpdated, aggregateId: id, organizationId, payload })
  if (isRefund) publish({ event: orderRefunded, aggregateId: id, organizationId, payload })
  if (order.invoiceRequestedAt) await publishInvoiceRequested(order, context)
}

/** A refund without a first answer is published after this time. */
const publishedAfterMs = 60_000

/** Publishes a refund whose first answer takes too long. */
export async function publishOverdueRefund(context: Transaction, refund: Refund): Promise<void> {
  const ageMs = context.now.getTime() - refund.createdAt.getTime()
  if (!refund.publishedAt && refund.purpose === 'order' && ageMs >= publishedAfterMs) await publishRefund(context, refund)
}

/** Attempts to return money that no order needs; after the last a person decides. */
const maxReturns = 3
const returnAgainMs = 86_400_000

/** A bank may return what was returned to a buyer. */
async function returnAgain(context: Transaction, { paymentId, state }: Refund): Promise<void> {
  if (state !== 'failed' && state !== 'canceled') return
  const { em, now, log } = context
  // The failed one ends before the next begins.
  await em.flush()
  const failed = await em.count(Refund, { paymentId, purpose: 'surplus', state: { $in: ['failed', 'canceled'] } })
  if (failed >= maxReturns) return log.error({ payment_id: paymentId }, 'surplus.not-returned')
  const payment = await em.findOneOrFail(Payment, paymentId)
  await returnSurplus(context, { payment, nextCheckAt: new Date(now.getTime() + returnAgainMs) })
}

/** Returns all of a payment that no order needs, without a decision of a person. The refund is not one of the order. */
export async function returnSurplus(
  { em, now, wake }: Transaction,
  { payment, nextCheckAt = now }: { payment: Payment; nextCheckAt?: Date },
): Promise<void> {
  const { organizationId, orderId, id: paymentId, currency, capturedAmount } = payment
  em.create(Refund, {
    ...newRefundState,
    organizationId,
    orderId,
    paymentId,
    currency,
    purpose: 'surplus',
    reason: 'duplicate',
    amount: capturedAmount ?? 0n,
    taxAmount: 0n,
    comment: null,
    revokeBenefits: false,
    metadata: {},
    nextCheckAt,
  })
  wake(checkDueRefundsJobName)
}
