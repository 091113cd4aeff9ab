import { LockMode } from '@mikro-orm/core'
import { orderUpdated } from '@quittance/contracts/orders'
import { refundUpdated } from '@quittance/contracts/refunds'
import { job, type JobContext, type Transaction } from '@quittance/runtime/handler'
import { Order } from '../orders/order.ts'
import { orderView } from '../orders/order-view.ts'
import type { Return } from '../payments/payment-processor.ts'
import { sandboxProcessor } from '../payments/sandbox-processor.ts'
import { Refund } from './refund.ts'
import { refundView } from './refund-view.ts'

interface DueRefund {
  id: string
  organization_id: string
  amount: string
  currency: string
  payment_id: string
  confirmation_token: string
}

const claim = `
  update refunds r set leased_until = now() + :lease * interval '1 millisecond'
  from payments p
  where p.order_id = r.order_id and p.status = 'succeeded' and r.id in (
    select id from refunds
    where due_at <= now() and (leased_until is null or leased_until < now())
    order by due_at limit 20 for update skip locked)
  returning r.id, r.organization_id, (r.amount + r.tax_amount)::text as amount, r.currency, p.id as payment_id, p.confirmation_token`

/** Asks the processor whether refunds stood. A replica that dies in between leaves a lease that runs out. */
export const checkDueRefunds = job({
  name: 'check-due-refunds',
  everyMs: 1_000,
  async run(context) {
    const due = await context.rows<DueRefund>('refunds.claim', claim, { lease: context.leaseMs })
    for (const refund of due) await check(context, refund)
    return due.length === 20
  },
})

async function check(context: JobContext, row: DueRefund): Promise<void> {
  const { id: refundId, payment_id: paymentId, currency, confirmation_token: confirmationToken } = row
  const made: Return = { refundId, paymentId, currency, confirmationToken, amount: BigInt(row.amount) }
  const status = await sandboxProcessor.checkRefund(made)
  await context.transaction(row.organization_id, async (transaction) => {
    const refund = await transaction.em.findOneOrFail(Refund, refundId)
    if (refund.settle(status)) await takeBack(transaction, refund)
  })
}

async function takeBack({ em, read, publish }: Transaction, refund: Refund): Promise<void> {
  const { id, orderId, organizationId } = refund
  const order = await em.findOneOrFail(Order, { id: orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  order.takeBackRefund(refund)
  const view = await read.one(refundView, { where: 'r.id = :id', values: { id } })
  const orderNow = await read.one(orderView, { where: 'o.id = :id', values: { id: orderId } })
  publish({ event: refundUpdated, aggregateId: orderId, organizationId, payload: view })
  publish({ event: orderUpdated, aggregateId: orderId, organizationId, payload: orderNow })
}
