import type { PaymentProgress } from '../src/payments/payment-progress.ts'

/** A payment of 42.00 for tests of the pure functions, started by the schedule. */
export function samplePayment(values: Partial<PaymentProgress> = {}): PaymentProgress {
  const at = new Date('2026-11-23T12:00:00Z')
  return {
    id: 'p',
    kind: 'charge',
    state: 'created',
    initiator: 'schedule',
    createdAt: at,
    money: { amount: 4200n, currency: 'usd' },
    theirs: null,
    preparation: 0,
    submission: 0,
    sends: 0,
    firstSentAt: null,
    sentAt: null,
    unansweredSince: null,
    checks: 0,
    observedAt: null,
    action: null,
    actionUntil: null,
    checkAfterMs: null,
    decline: null,
    declinedAt: null,
    failureReason: null,
    charge: null,
    quarantineReason: null,
    untouchedAt: null,
    ...values,
  }
}
