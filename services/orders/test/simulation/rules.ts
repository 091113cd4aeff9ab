import { computeNextCheck, planCall } from '../../src/payments/plan-call.ts'
import { recordOutcome } from '../../src/payments/record-answer.ts'
import { planRefundCall, recordRefundAnswer, scheduleRefundCheck } from '../../src/refunds/refund-progress.ts'
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
  /** Whether a declined renewal ends the access of the customer. */
  endsAccess: () => true,
}

export type Rules = typeof rules
