import { LockMode } from '@mikro-orm/core'
import { orderUpdated } from '@quittance/contracts/orders'
import { orderRefunded, refundCreated } from '@quittance/contracts/refunds'
import type { FinishContext, JobContext, Transaction } from '@quittance/runtime/handler'
import { revokeBenefits } from '../entitlements/entitlement.ts'
import { publishCustomerState } from '../customers/customer-state.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Order } from '../orders/order.ts'
import { orderView } from '../orders/order-view.ts'
import { publishInvoiceRequested } from '../orders/request-invoice.ts'
import { withTimeout, nextCheckAt, callDeadlineMs, callLeaseMs, createProcessorCalls } from '../payments/processor-calls.ts'
import type { PaymentProcessor } from '../payments/payment-processor.ts'
import { paymentProcessor } from '../payments/processor.ts'
import { claimRefund, toRefundRequest, type ClaimedRefund } from './claim-refunds.ts'
import { Refund, refundView } from './refund.ts'

type Context = Pick<JobContext | FinishContext, 'log' | 'transaction'> & Partial<Pick<JobContext, 'leaseMs'>>

/** Refunds with a processor call in progress. */
export const refundCalls = createProcessorCalls(100)

const reschedule = `update refunds set leased_until = null, next_check_at = ${nextCheckAt} 
  where id = :id and organization_id = any (:scope_organizations) and status = 'pending'`

/** A request does not wait longer than this for the processor. */
const slowAfterMs = 3_000

/**
 * Requests a recorded refund from the processor, unless another process does, and waits until the result is recorded or three seconds have
 * passed. Never throws: a job repeats a call with an unknown result under the same id.
 */
export async function submitOrDefer(id: string, context: FinishContext): Promise<void> {
  const slow = Promise.withResolvers<void>()
  const recorded = refundCalls.run(id, async () => {
    const processor = paymentProcessor()
    if (!processor) return
    const [row] = await context.sql<ClaimedRefund>('refund.claim', claimRefund, { id, lease: callLeaseMs }).catch(() => [])
    if (row) await submitClaimed(row, { processor, context, onSlow: slow.resolve })
  })
  await Promise.race([recorded, slow.promise])
}

interface Submission {
  processor: PaymentProcessor
  context: Context
  /** Called if the processor has not replied within three seconds. */
  onSlow?: () => void
}

/** The same, once the row is leased. */
export async function submitClaimed(row: ClaimedRefund, { processor, context, onSlow }: Submission): Promise<void> {
  const timer = onSlow && setTimeout(onSlow, slowAfterMs)
  try {
    const deadlineMs = callDeadlineMs(context.leaseMs ?? callLeaseMs)
    const { checkAfterMs } = await withTimeout(deadlineMs, (signal) => processor.refund(toRefundRequest(row), signal))
    clearTimeout(timer)
    await context.transaction(row.organization_id, (transaction) => recordSuccess(transaction, { row, checkAfterMs }))
  } catch (error) {
    context.log.error({ err: error, refund_id: row.id }, 'refund.not-submitted')
    await context.transaction(row.organization_id, ({ sql }) => sql('refund.retry-later', reschedule, { id: row.id })).catch(() => {})
  } finally {
    clearTimeout(timer)
  }
}

async function recordSuccess(
  context: Transaction,
  { row, checkAfterMs }: { row: ClaimedRefund; checkAfterMs: number | null },
): Promise<void> {
  const { em, now, sql, read, publish } = context
  if (row.revoked_customer_id) await lockCustomer(sql, row.revoked_customer_id)
  const order = await em.findOneOrFail(Order, { id: row.order_id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const refund = await em.findOneOrFail(Refund, { id: row.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!refund.succeed(checkAfterMs === null ? null : new Date(now.getTime() + checkAfterMs))) return
  order.refund(refund)
  const { organizationId } = order
  const view = await read.one(refundView, { where: 'r.id = :id', values: { id: refund.id } })
  const orderNow = {
    aggregateId: order.id,
    organizationId,
    payload: await read.one(orderView, { where: 'o.id = :id', values: { id: order.id } }),
  }
  // The order is the aggregate of all of them, so they are published in this sequence.
  publish({ event: refundCreated, aggregateId: order.id, organizationId, payload: view })
  publish({ event: orderUpdated, ...orderNow })
  publish({ event: orderRefunded, ...orderNow })
  if (order.invoiceRequestedAt) await publishInvoiceRequested(order, context)
  if (refund.revokeBenefits) {
    for (const customerId of await revokeBenefits(context, { orderId: order.id })) await publishCustomerState(context, customerId)
  }
}
