import { LockMode } from '@mikro-orm/core'
import { orderUpdated } from '@quittance/contracts/orders'
import { refundUpdated } from '@quittance/contracts/refunds'
import { job, type JobContext, type Transaction } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import { orderView } from '../orders/order-view.ts'
import { publishInvoiceRequested } from '../orders/request-invoice.ts'
import { withTimeout, nextCheckAt, callDeadlineMs } from '../payments/processor-calls.ts'
import type { PaymentProcessor } from '../payments/payment-processor.ts'
import { paymentProcessor } from '../payments/processor.ts'
import { claimDueRefunds, toRefundRequest, type ClaimedRefund } from './claim-refunds.ts'
import { Refund, refundView } from './refund.ts'
import { refundCalls, submitClaimed } from './submit-refund.ts'

const reschedule = `update refunds set leased_until = null, due_at = ${nextCheckAt} where id = :id and due_at is not null`

const batch = 20

/**
 * Submits recorded refunds without a result and checks whether others are final, each independently. If a replica dies in between, its
 * lease expires.
 */
export const checkDueRefunds = job({
  name: 'check-due-refunds',
  everyMs: 1_000,
  async run(context) {
    const processor = paymentProcessor()
    const limit = Math.min(batch, refundCalls.free())
    if (!processor || limit === 0) return false
    const due = await context.systemSql<ClaimedRefund>('refunds.claim', claimDueRefunds, { lease: context.leaseMs, limit })
    for (const row of due) {
      const ask = row.status === 'pending' ? submitClaimed : check
      void refundCalls.run(row.id, () => ask(row, { processor, context }))
    }
    return due.length === limit
  },
})

async function check(row: ClaimedRefund, { processor, context }: { processor: PaymentProcessor; context: JobContext }): Promise<void> {
  try {
    const status = await withTimeout(callDeadlineMs(context.leaseMs), (signal) => processor.checkRefund(toRefundRequest(row), signal))
    await context.transaction(row.organization_id, async (transaction) => {
      const refund = await transaction.em.findOneOrFail(Refund, row.id)
      if (refund.settle(status)) await reverseRefund(transaction, refund)
    })
  } catch (error) {
    context.log.error({ err: error, refund_id: row.id }, 'refund.not-checked')
    await context.systemSql('refund.check-again', reschedule, { id: row.id }).catch(() => {})
  }
}

/** Counts the amount as paid again. The invoice service then reverses the credit note of the refund. */
async function reverseRefund(context: Transaction, refund: Refund): Promise<void> {
  const { em, read, publish } = context
  const { id, orderId, organizationId } = refund
  const order = await em.findOneOrFail(Order, { id: orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  order.reverseRefund(refund)
  const view = await read.one(refundView, { where: 'r.id = :id', values: { id } })
  const orderNow = await read.one(orderView, { where: 'o.id = :id', values: { id: orderId } })
  publish({ event: refundUpdated, aggregateId: orderId, organizationId, payload: view })
  publish({ event: orderUpdated, aggregateId: orderId, organizationId, payload: orderNow })
  if (order.invoiceRequestedAt) await publishInvoiceRequested(order, context)
}
