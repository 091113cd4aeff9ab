import { computeNextCheck, planCall } from '../../src/payments/plan-call.ts'
import { recordOutcome } from '../../src/payments/record-answer.ts'
import { planRefundCall, recordRefundAnswer, scheduleRefundCheck } from '../../src/refunds/refund-progress.ts'
import { applyPaymentResult } from '../../src/subscriptions/apply-payment-result.ts'
import type { Subscription } from '../../src/subscriptions/subscription.ts'
import type { Dunning } from '../../src/organizations/dunning.ts'
import { formatCallKey } from '../../src/providers/call-key.ts'

/** The pure functions that decide, as the service runs them. Mutations replace one. */
export const rules = {
  planCall,
  recordOutcome,
  computeNextCheck,
  planRefundCall,
  recordRefundAnswer,
  scheduleRefundCheck,
  formatCallKey,
  /** Whether received money pays its order: the order is pending, with the terms with which the payment started. */
  isNeeded: (order: { status: string; terms: string }, terms: string) => order.status === 'pending' && order.terms === terms,
  /** Whether a payment stops another one of its order. */
  isOpen: (state: string) => state !== 'failed' && state !== 'succeeded',
  /** Whether received money that no order needs is returned. */
  returnsSurplus: () => true,
  /** Whether a failed refund gives its amount back to the order. */
  releasesRefund: () => true,
  /** Periods that a renewal starts. */
  periodsPerRenewal: () => 1,
  applyPaymentResult,
  /** The settings of the seller about declined payments. */
  readDunning: (dunning: Dunning) => dunning,
  /** Whether a customer gets the trial of a product. */
  givesTrial: ({ isRedeemed }: { isRedeemed: boolean }) => !isRedeemed,
  /** Whether a setup of a checkout starts its trial. */
  startsTrial: ({ isStored }: { isStored: boolean }) => isStored,
  /** Whether a subscription ends with its trial. */
  endsWithTrial: (subscription: Subscription) => subscription.isLastOfTrial() && !subscription.paymentMethodId,
  /** Whether a declined renewal ends the access of the customer. */
  endsAccess: () => true,
}

export type Rules = typeof rules
