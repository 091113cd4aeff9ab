import { job, type JobContext } from '@quittance/runtime/handler'
import { checkoutUpdated } from '@quittance/contracts/checkouts'
import { Checkout } from '../checkouts/checkout.ts'
import { checkoutView } from '../checkouts/checkout-view.ts'
import { Order } from '../orders/order.ts'
import { payOrder } from '../orders/place-order.ts'
import { Payment } from './payment.ts'
import { sandboxProcessor } from './sandbox-processor.ts'

interface DuePayment {
  id: string
  organization_id: string
  amount: string
  currency: string
  confirmation_token: string
  created_at: string
}

const claim = `
  update payments set leased_until = now() + :lease * interval '1 millisecond'
  where id in (
    select id from payments
    where status = 'pending' and due_at <= now() and (leased_until is null or leased_until < now())
    order by due_at limit 20 for update skip locked)
  returning id, organization_id, amount::text, currency, confirmation_token, to_json(created_at)#>>'{}' as created_at`

const postpone = `
  update payments set leased_until = null, due_at = now() + :wait * interval '1 millisecond' where id = :id and status = 'pending'`

/** Asks the processor about every payment that is due. A replica that dies in between leaves a lease that runs out. */
export const settleDuePayments = job({
  name: 'settle-due-payments',
  everyMs: 1_000,
  async run(context) {
    const due = await context.rows<DuePayment>('payments.claim', claim, { lease: context.leaseMs })
    await Promise.all(due.map((payment) => settle(context, payment)))
    return due.length === 20
  },
})

async function settle(context: JobContext, row: DuePayment): Promise<void> {
  const charge = { paymentId: row.id, amount: BigInt(row.amount), currency: row.currency, confirmationToken: row.confirmation_token }
  const outcome = await sandboxProcessor.settle(charge, new Date(row.created_at))
  if (outcome.status === 'processing') {
    await context.rows('payments.postpone', postpone, { id: row.id, wait: outcome.retryAfterMs })
    return
  }
  await context.transaction(row.organization_id, async (transaction) => {
    const { em, read, publish } = transaction
    const payment = await em.findOneOrFail(Payment, row.id)
    if (!payment.succeed()) return
    await payOrder(transaction, await em.findOneOrFail(Order, payment.orderId))
    if (!payment.checkoutId) return
    const checkout = await em.findOneOrFail(Checkout, payment.checkoutId)
    checkout.succeed()
    const view = await read.one(checkoutView, { where: 'ch.id = :id', values: { id: checkout.id } })
    publish({ event: checkoutUpdated, aggregateId: checkout.id, organizationId: checkout.organizationId, payload: view })
  })
}
