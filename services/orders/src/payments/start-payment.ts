import type { Transaction } from '@quittance/runtime/handler'
import { settleDuePaymentsJobName } from '../job-names.ts'
import type { Order } from '../orders/order.ts'
import { Payment } from './payment.ts'

/** Starts the payment of an order; the processor is called right after the commit. */
export async function startPayment(
  { em, now, wake, traceparent }: Transaction,
  { order, confirmationToken }: { order: Order; confirmationToken: string },
): Promise<void> {
  em.create(Payment, {
    organizationId: order.organizationId,
    orderId: order.id,
    checkoutId: order.checkoutId ?? null,
    amount: order.totalAmount,
    currency: order.currency,
    confirmationToken,
    status: 'pending',
    dueAt: now,
    leasedUntil: null,
    traceparent,
  })
  wake(settleDuePaymentsJobName)
}
