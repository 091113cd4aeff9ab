import type { Order } from '../../src/orders/order.ts'
import type { Initiator } from '../../src/payments/payment-progress.ts'
import { samplePayment } from '../sample-payment.ts'
import type { PaymentRow, RefundRow } from './simulated-store.ts'

interface NewPayment {
  id: string
  order: Order
  terms: string
  methodId: number
  initiator: Initiator
  now: number
}

/** A payment before its first call. */
export function newPayment({ id, order, terms, methodId, initiator, now }: NewPayment): PaymentRow {
  const money = { amount: order.totalAmount, currency: 'usd' }
  return {
    progress: samplePayment({ id, initiator, money, createdAt: new Date(now) }),
    ...{ order, terms, methodId, nextCheckAt: now, leasedUntil: 0, captured: 0n, use: null, refunding: 0n, refunded: 0n },
  }
}

/** A refund before its first call. */
export function newRefund({
  id,
  now,
  ...values
}: Pick<RefundRow, 'payment' | 'purpose' | 'amount' | 'taxAmount'> & { id: string; now: number }): RefundRow {
  const unsent = { theirs: null, submission: 0, sends: 0, firstSentAt: null, sentAt: null, unansweredSince: null, checks: 0 }
  const unseen = { observedAt: null, checkAfterMs: null, failureReason: null, quarantineReason: null }
  return { progress: { id, state: 'created', ...unsent, ...unseen }, ...values, nextCheckAt: now, leasedUntil: 0 }
}
