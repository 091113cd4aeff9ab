import { orderPaymentActionRequired, orderPaymentFailed } from '@quittance/contracts/order-payments'
import type { Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import type { Order } from '../orders/order.ts'
import { payOrder } from '../orders/place-order.ts'
import type { Payment } from './payment.ts'
import { readOrderPayment } from './publish-payment.ts'

/** The first and only result of a payment. */
export interface SettledPayment {
  order: Order
  payment: Payment
  isPaid: boolean
}

export const afterPaymentSettled = reactionPoint<SettledPayment>('orders.payment.settled')

/** Marks the order as paid. Must run after the steps that change its subscription, which the order event contains. */
export async function settleOrderPayment(context: Transaction, { order, payment, isPaid }: SettledPayment): Promise<void> {
  if (isPaid) await payOrder(context, order)
  // The payment of a voided order was canceled on purpose. No other payment has to follow.
  else if (!order.voidedAt) await publishFailure(context, { order, payment })
}

/** A decline that no later attempt with the method changes needs the buyer, unless they were there. */
async function publishFailure(
  { read, publish }: Transaction,
  { order, payment }: Pick<SettledPayment, 'order' | 'payment'>,
): Promise<void> {
  const { declineKind, request } = payment
  const message = { aggregateId: order.id, organizationId: order.organizationId, payload: await readOrderPayment(read, payment) }
  publish({ event: orderPaymentFailed, ...message })
  if (!request.buyerPresent && (declineKind === 'hard' || declineKind === 'needs_buyer'))
    publish({ event: orderPaymentActionRequired, ...message })
}
