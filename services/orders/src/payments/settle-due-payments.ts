import { job, type JobContext, type Transaction } from '@quittance/runtime/handler'
import { settleDuePaymentsJobName } from '../job-names.ts'
import { lockCustomer } from '../customers/lock-customer.ts'
import { Order } from '../orders/order.ts'
import { afterPaymentSettled } from './after-payment-settled.ts'
import { Payment } from './payment.ts'
import { withTimeout, nextCheckAt, callDeadlineMs, createProcessorCalls } from './processor-calls.ts'
import type { PaymentProcessor, ChargeResult } from './payment-processor.ts'
import { paymentProcessor } from './processor.ts'

interface DuePayment {
  id: string
  organization_id: string
  amount: string
  currency: string
  confirmation_token: string
  checkout_id: string | null
  created_at: string
  traceparent: string | null
  customer_id: string
}

const claim = `
  update payments set leased_until = now() + :lease * interval '1 millisecond'
  where id in (
    select id from payments
    where status = 'pending' and due_at <= now() and (leased_until is null or leased_until < now())
    order by due_at limit :limit for update skip locked)
  returning id, organization_id, amount::text, currency, confirmation_token, checkout_id, to_json(created_at)#>>'{}' as created_at,
    traceparent, (select customer_id from orders where id = order_id) as customer_id`

const postpone = `
  update payments set leased_until = null, due_at = now() + :wait * interval '1 millisecond' where id = :id and status = 'pending'`

const reschedule = `update payments set leased_until = null, due_at = ${nextCheckAt} where id = :id and status = 'pending'`

const batch = 20

/** Payments with a processor call in progress. */
export const settlements = createProcessorCalls(5 * batch)

/**
 * Calls the processor for every due payment independently: one without a reply delays no other. If a replica dies in between, the lease
 * expires and the call for the same payment is repeated.
 */
export const settleDuePayments = job({
  name: settleDuePaymentsJobName,
  everyMs: 1_000,
  async run(context) {
    const processor = paymentProcessor()
    const limit = Math.min(batch, settlements.free())
    if (!processor || limit === 0) return false
    const due = await context.systemSql<DuePayment>('payments.claim', claim, { lease: context.leaseMs, limit })
    for (const payment of due) void settlements.run(payment.id, () => settle(context, { row: payment, processor }))
    return due.length === limit
  },
})

async function settle(context: JobContext, { row, processor }: { row: DuePayment; processor: PaymentProcessor }): Promise<void> {
  try {
    const outcome = await requestCharge(row, { processor, context })
    if (outcome.status === 'processing') await context.systemSql('payments.postpone', postpone, { id: row.id, wait: outcome.retryAfterMs })
    else await record(context, { row, isPaid: outcome.status === 'succeeded' })
  } catch (error) {
    context.log.error({ err: error, payment_id: row.id }, 'payment.not-settled')
    await context.systemSql('payments.retry-later', reschedule, { id: row.id }).catch(() => {})
  }
}

function requestCharge(
  row: DuePayment,
  { processor, context }: { processor: PaymentProcessor; context: JobContext },
): Promise<ChargeResult> {
  const charge = {
    paymentId: row.id,
    amount: BigInt(row.amount),
    currency: row.currency,
    confirmationToken: row.confirmation_token,
    isBuyerPresent: row.checkout_id !== null,
  }
  return withTimeout(callDeadlineMs(context.leaseMs), (signal) => processor.settle(charge, new Date(row.created_at), signal))
}

async function record(context: JobContext, { row, isPaid }: { row: DuePayment; isPaid: boolean }): Promise<void> {
  const settlePayment = async ({ em, sql, react }: Transaction) => {
    await lockCustomer(sql, row.customer_id)
    const payment = await em.findOneOrFail(Payment, row.id)
    if (!(isPaid ? payment.markSucceeded() : payment.markFailed())) return
    const order = await em.findOneOrFail(Order, payment.orderId)
    await react(afterPaymentSettled, { order, payment, isPaid })
  }
  await context.transaction(row.organization_id, settlePayment, row.traceparent)
}
