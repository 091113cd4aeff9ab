import { defaultDunning } from '../../src/organizations/dunning.ts'
import { rules, type Rules } from './rules.ts'

/** Faults put into the rules, each of which the simulation must find. */
export const mutations: Readonly<Record<string, Partial<Rules>>> = {
  'a declined payment ends before its object is canceled': {
    recordOutcome(payment, recording) {
      const recorded = rules.recordOutcome(payment, recording)
      const { outcome } = recording
      if (!outcome || !('got' in outcome) || outcome.got.is !== 'declined') return recorded
      return { ...recorded, payment: { ...recorded.payment, state: 'failed' }, effects: [{ effect: 'failed', reason: 'declined' }] }
    },
  },
  'a settled payment is not read again without an answer': {
    computeNextCheck: (progress, situation) => (isSettled(progress) ? null : rules.computeNextCheck(progress, situation)),
    planCall(payment, situation) {
      const planned = rules.planCall(payment, situation)
      return isSettled(payment) ? { ...planned, nextCheckAt: null } : planned
    },
  },
  'a success after a failure is not recorded': {
    recordOutcome(payment, recording) {
      const recorded = rules.recordOutcome(payment, recording)
      return payment.state === 'failed' && recorded.payment.state === 'succeeded' ? { ...recorded, payment, effects: [] } : recorded
    },
  },
  'amounts are not compared': {
    recordOutcome(payment, recording) {
      const { outcome, expected } = recording
      const seen = outcome && 'got' in outcome ? outcome.got : null
      return rules.recordOutcome(payment, { ...recording, expected: seen ? { ...expected, money: seen.money } : expected })
    },
  },
  'a call without an answer is treated as a decline': {
    recordOutcome(payment, recording) {
      const { outcome, readAt } = recording
      if (!outcome || !('unknown' in outcome) || recording.call.step !== 'submit') return rules.recordOutcome(payment, recording)
      const decline = { kind: 'soft', code: 'generic', providerCode: null, notBefore: null } as const
      const failed = { ...payment, state: 'failed', decline, declinedAt: readAt, failureReason: 'declined' } as const
      return { payment: failed, effects: [{ effect: 'failed', reason: 'declined' }], isAbsent: false }
    },
  },
  'a payment without an answer has no next check': {
    computeNextCheck: (progress, situation) =>
      situation.outcome && 'unknown' in situation.outcome ? null : rules.computeNextCheck(progress, situation),
  },
  'the key does not have the number of the submission': {
    formatCallKey: (kind, { id, step }) => rules.formatCallKey(kind, { id, step, number: 1 }),
  },
  'an unknown preparation is made again under another key': {
    planCall(payment, situation) {
      const planned = rules.planCall(payment, situation)
      if (planned.call?.step !== 'prepare') return planned
      const preparation = payment.preparation + 1
      return { ...planned, call: { step: 'prepare', preparation }, progress: { ...planned.progress, preparation } }
    },
  },
  'the next payment starts before the last one is closed': { isOpen: (state) => state !== 'closing' && rules.isOpen(state) },
  'money that no order needs is kept': { returnsSurplus: () => false },
  'received money is applied without comparing the terms': { isNeeded: () => true },
  'an unknown refund is repeated under another key': {
    formatCallKey: (kind, { id, step, number }) =>
      rules.formatCallKey(kind, { id, step, number: kind === 'refund' ? (repeated += 1) : number }),
  },
  'a failed refund keeps its amount reserved': { releasesRefund: () => false },
  'a renewal skips a period': { periodsPerRenewal: () => 2 },
  'a trial without a payment method is charged at its end': { endsWithTrial: () => false },
  'a declined payment method starts a trial': { startsTrial: () => true },
  'a customer gets a second trial of a product': { givesTrial: () => true },
  'the settings of the seller about declined payments are ignored': { readDunning: () => defaultDunning },
  'a subscription is tried again after the last try': {
    readDunning: (dunning) => ({ ...dunning, retryAfterDays: [...dunning.retryAfterDays, 1] }),
  },
  'an unpaid subscription is billed for the time between': {
    applyPaymentResult: (subscription, result, situation) =>
      rules.applyPaymentResult(subscription, { ...result, order: { ...result.order, periodStart: null } }, situation),
  },
  'a first period begins before its payment': keepUnpaidPeriod('incomplete'),
  'one that is past due is billed for the time between': keepUnpaidPeriod('past_due'),
  'a declined renewal leaves the access': { endsAccess: () => false },
}

/** A payment does not begin the period of a subscription with this status. */
function keepUnpaidPeriod(mutated: string): Partial<Rules> {
  return {
    applyPaymentResult(subscription, result, situation) {
      const { status, currentPeriodStart, currentPeriodEnd } = subscription
      const changed = rules.applyPaymentResult(subscription, result, situation)
      if (status === mutated) Object.assign(subscription, { currentPeriodStart, currentPeriodEnd })
      return changed
    },
  }
}

const isSettled = ({ state }: { state: string }) => state === 'failed' || state === 'succeeded'

let repeated = 0
