import type { Transaction } from '@quittance/runtime/handler'
import type { Order } from '../orders/order.ts'
import { Payment } from './payment.ts'
import { settleDuePayments } from './settle-due-payments.ts'

/** The processor is asked about the payment of an order at once, after the commit. */
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
  wake(settleDuePayments.name)
}
