import { job, type JobContext, type Transaction } from '@quittance/runtime/handler'
import { completeCheckout } from '../checkouts/complete-checkout.ts'
import { reopenCheckout } from '../checkouts/reopen-checkout.ts'
import { Order } from '../orders/order.ts'
import { payOrder } from '../orders/place-order.ts'
import { settleSubscription } from '../subscriptions/settle-subscription.ts'
import { Payment } from './payment.ts'
import { sandboxProcessor } from './sandbox-processor.ts'

interface DuePayment {
  id: string
  organization_id: string
  amount: string
  currency: string
  confirmation_token: string
  checkout_id: string | null
  created_at: string
  traceparent: string | null
}

const claim = `
  update payments set leased_until = now() + :lease * interval '1 millisecond'
  where id in (
    select id from payments
    where status = 'pending' and due_at <= now() and (leased_until is null or leased_until < now())
    order by due_at limit 20 for update skip locked)
  returning id, organization_id, amount::text, currency, confirmation_token, checkout_id, to_json(created_at)#>>'{}' as created_at,
    traceparent`

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
  const charge = {
    paymentId: row.id,
    amount: BigInt(row.amount),
    currency: row.currency,
    confirmationToken: row.confirmation_token,
    isBuyerPresent: row.checkout_id !== null,
  }
  const outcome = await sandboxProcessor.settle(charge, new Date(row.created_at))
  if (outcome.status === 'processing') {
    await context.rows('payments.postpone', postpone, { id: row.id, wait: outcome.retryAfterMs })
    return
  }
  const paid = outcome.status === 'succeeded'
  const settlePayment = async (transaction: Transaction) => {
    const { em } = transaction
    const payment = await em.findOneOrFail(Payment, row.id)
    if (!(paid ? payment.succeed() : payment.decline())) return
    const order = await em.findOneOrFail(Order, payment.orderId)
    // First, so that the order is told with its subscription as it stands now.
    await settleSubscription(transaction, { order, paid, paymentToken: row.confirmation_token })
    if (paid) await payOrder(transaction, order)
    if (payment.checkoutId) await (paid ? completeCheckout : reopenCheckout)(payment.checkoutId, transaction)
  }
  await context.transaction(row.organization_id, settlePayment, row.traceparent)
}
