import type { Answer, Seen } from '../providers/provider.ts'
import { findDifferences, type ExpectedFacts } from './check-integrity.ts'
import { quarantineAfterMs } from './check-schedule.ts'
import { close, fail, fold } from './fold.ts'
import type { NextCall } from './next-call.ts'
import type { Effect, PaymentProgress } from './payment-progress.ts'

/** An answer about a payment, of the payer, or none: that there is no object needs no call. */
export type CallOutcome = Answer<Seen> | { payer: string } | null

/** A call about a payment, and what was answered. */
export interface AnsweredCall {
  step: NextCall['step']
  answer: Answer<Seen>
  /** When the call began. */
  readAt: Date
}

/** A payment after an answer, with everything that follows outside of it. */
export interface Recorded {
  payment: PaymentProgress
  effects: Effect[]
  /** It was proven that the provider has no object of the payment. */
  isAbsent: boolean
}

/** Preparations of one payment after which another payer is not tried: the provider contradicts itself. */
const maxPreparations = 3

/** Reason of a quarantine that ends with the next answer. */
const unanswered = 'unanswered'

/**
 * Returns a payment after the answer to a call. An answer that does not match the row quarantines it; a payment in quarantine is not
 * changed. Without an answer nothing is assumed: the next step reads. Pure.
 */
export function recordAnswer(
  payment: PaymentProgress,
  { step, answer, readAt }: AnsweredCall,
  { now, expected }: { now: Date; expected: ExpectedFacts },
): Recorded {
  const recorded = (next: PaymentProgress, more: Partial<Recorded> = {}): Recorded => ({
    payment: next,
    effects: [],
    isAbsent: false,
    ...more,
  })
  if ('unknown' in answer) {
    if (!answer.sent) return recorded(unsend(payment, step))
    const since = payment.unansweredSince ?? readAt
    // Before the first call about money there is nothing to find out.
    const isOverdue = payment.preparation > 0 && now.getTime() - since.getTime() >= quarantineAfterMs
    const reason = payment.quarantineReason ?? (isOverdue ? unanswered : null)
    return recorded({ ...payment, unansweredSince: since, quarantineReason: reason })
  }
  if ('misconfigured' in answer) {
    const unsent = unsend(payment, step)
    // The key of the rejected call belongs to the payer that is gone.
    if (answer.misconfigured === 'payer' && step === 'prepare' && payment.preparation < maxPreparations)
      return recorded({ ...unsent, preparation: payment.preparation + 1, sends: 0, firstSentAt: null, unansweredSince: null })
    const isByBuyer = payment.initiator === 'buyer' || payment.initiator === 'buyer_again'
    // The same amount is never taken: the payment fails, so that the schedule of declined ones applies.
    const isAmount = answer.misconfigured === 'amount' || answer.misconfigured === 'currency'
    const isOver = (isByBuyer || isAmount) && payment.quarantineReason === null && payment.state !== 'closing' && step !== 'read'
    return recorded(isOver ? close(unsent, 'misconfigured') : unsent)
  }
  const known = payment.quarantineReason === unanswered ? { ...payment, quarantineReason: null } : payment
  if ('absent' in answer) {
    if (payment.theirs === null) return recorded({ ...known, unansweredSince: null }, { isAbsent: true })
    return recorded(quarantine(payment, `the provider has no object ${payment.theirs}`))
  }
  if (known.quarantineReason !== null) return recorded({ ...known, unansweredSince: null })
  const differences = findDifferences(expected, answer.got)
  if (differences.length > 0) return recorded(quarantine({ ...known, theirs: known.theirs ?? answer.got.theirs }, differences.join('; ')))
  return recorded(known, fold(known, { seen: answer.got, readAt }))
}

/** Ends a payment that has no object at the provider. */
function recordNoObject(payment: PaymentProgress): Recorded {
  return { ...fail(payment), isAbsent: true }
}

function quarantine(payment: PaymentProgress, reason: string): PaymentProgress {
  return { ...payment, unansweredSince: null, quarantineReason: payment.quarantineReason ?? reason }
}

/** Takes back a call that was certainly not executed: it is repeated under the same key. */
function unsend(payment: PaymentProgress, step: NextCall['step']): PaymentProgress {
  if (step !== 'prepare' && step !== 'submit') return payment
  const sends = Math.max(0, payment.sends - 1)
  const unsent = { ...payment, sends, unansweredSince: sends === 0 ? null : payment.unansweredSince }
  return step === 'submit' && sends === 0 && payment.state === 'submitted' ? { ...unsent, state: 'prepared' } : unsent
}

/** Returns a payment before a call: committed first, so that after a crash it is known that the call may have been made. */
export function recordSend(payment: PaymentProgress, call: NextCall, now: Date): PaymentProgress {
  const sent = { ...payment, unansweredSince: payment.unansweredSince ?? now }
  if (call.step === 'prepare')
    return { ...sent, ...countSend(payment, { isSameKey: call.preparation === payment.preparation, now }), preparation: call.preparation }
  if (call.step !== 'submit') return call.step === 'payer' ? payment : sent
  const isSameKey = call.submission === payment.submission
  const counted = countSend(payment, { isSameKey, now })
  return { ...sent, ...counted, state: 'submitted', submission: call.submission, untouchedAt: null, checks: isSameKey ? payment.checks : 0 }
}

function countSend(
  { sends, firstSentAt }: PaymentProgress,
  { isSameKey, now }: { isSameKey: boolean; now: Date },
): Partial<PaymentProgress> {
  return { sends: isSameKey ? sends + 1 : 1, sentAt: now, firstSentAt: isSameKey ? (firstSentAt ?? now) : now }
}

interface Recording {
  call: NextCall
  outcome: CallOutcome
  /** When the call began. */
  readAt: Date
  now: Date
  expected: ExpectedFacts
  isAbsent: boolean
}

/** Returns a payment after the outcome of a call, with everything that follows outside of it. Pure. */
export function recordOutcome(payment: PaymentProgress, { call, outcome, readAt, now, expected, isAbsent }: Recording): Recorded {
  if (outcome === null) return recordNoObject(payment)
  if ('payer' in outcome) return { payment, effects: [], isAbsent }
  return recordAnswer(payment, { step: call.step, answer: outcome, readAt }, { now, expected })
}
