import type { Transaction } from '@quittance/runtime/handler'
import { reactionPoint } from '@quittance/runtime/reactions'
import type { Order } from '../orders/order.ts'
import { payOrder } from '../orders/place-order.ts'
import type { Payment } from './payment.ts'

/** The first and only result of a payment. */
export interface SettledPayment {
  order: Order
  payment: Payment
  isPaid: boolean
}

export const afterPaymentSettled = reactionPoint<SettledPayment>('orders.payment.settled')

/** Marks the order as paid. Must run after the steps that change its subscription, which the order event contains. */
export async function settleOrderPayment(context: Transaction, { order, isPaid }: SettledPayment): Promise<void> {
  if (isPaid) await payOrder(context, order)
}
