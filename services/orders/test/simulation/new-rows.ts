import { Order } from '../../src/orders/order.ts'
import type { Initiator } from '../../src/payments/payment-progress.ts'
import { periodEnd, type RecurringInterval } from '../../src/pricing/billing-period.ts'
import { orderAmounts } from '../../src/pricing/order-amounts.ts'
import type { TaxRate } from '../../src/pricing/tax-amounts.ts'
import { Subscription } from '../../src/subscriptions/subscription.ts'
import { samplePayment } from '../sample-payment.ts'
import type { PaymentRow, RefundRow } from './simulated-store.ts'

const rate: TaxRate = { name: 'VAT', country: 'DE', state: null, partsPerMillion: 190_000n, isReverseCharge: false }

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
    order,
    terms,
    methodId,
    nextCheckAt: now,
    leasedUntil: 0,
    captured: 0n,
    use: null,
    refunding: 0n,
    refunded: 0n,
  }
}

/** A setup before its first call. */
export function newSetup(values: Omit<NewPayment, 'terms' | 'initiator'>): PaymentRow {
  const row = newPayment({ ...values, terms: 'setup', initiator: 'buyer' })
  return { ...row, progress: { ...row.progress, kind: 'setup', money: null } }
}

interface NewOrder {
  id: string
  subscriptionId: string
  /** The prices of its lines; a trial has an order without one. */
  amounts: readonly bigint[]
  periodStart: Date
}

/** An order that is not paid yet. */
export function newOrder({ id, subscriptionId, amounts, periodStart }: NewOrder): Order {
  const lines = amounts.map((amount) => ({ amount, rate }))
  const { net, tax, total } = orderAmounts({ lines, discount: null, taxBehavior: 'exclusive' })
  return Object.assign(
    Object.create(Order.prototype) as Order,
    {
      id,
      status: 'pending',
      subscriptionId,
      periodStart,
      billingReason: amounts.length === 0 ? 'subscription_create' : 'subscription_cycle',
      netAmount: net,
      taxAmount: tax,
      totalAmount: total,
      taxBehavior: 'exclusive',
      paidAt: null,
      nextPaymentAttemptAt: null,
      refundedAmount: 0n,
      refundedTaxAmount: 0n,
      refundingAmount: 0n,
      refundingTaxAmount: 0n,
      creditableAmount: 0n,
      creditUsedAmount: 0n,
      creditedAmount: 0n,
    } as const,
  )
}

interface NewSubscription {
  id: string
  now: number
  priceAmount: bigint
  interval: RecurringInterval
}

/** A subscription before its first payment or trial. */
export function newSubscription({ id, now, priceAmount, interval }: NewSubscription): Subscription {
  const start = new Date(now)
  const anchorDay = start.getUTCDate()
  return Object.assign(
    Object.create(Subscription.prototype) as Subscription,
    {
      id,
      status: 'incomplete',
      priceAmount,
      amount: priceAmount,
      periodAmount: priceAmount,
      failedCharges: 0,
      paymentMethodId: null,
      recurringInterval: interval,
      anchorDay,
      trialStart: null,
      trialEnd: null,
      currentPeriodStart: start,
      currentPeriodEnd: periodEnd(start, { interval, anchorDay }),
      cancelAtPeriodEnd: false,
      canceledAt: null,
      startedAt: null,
      endsAt: null,
      endedAt: null,
      dueAt: null,
      leasedUntil: null,
    } as const,
  )
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
