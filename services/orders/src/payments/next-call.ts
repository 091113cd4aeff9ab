import type { Capabilities } from '../providers/provider.ts'
import type { FailureReason, PaymentProgress } from './payment-progress.ts'

/** The next step of a payment. `submission` and `preparation` are numbers of keys: the current one repeats a call, the next one follows it. */
export type NextCall =
  | { step: 'payer' }
  | { step: 'prepare'; preparation: number }
  | { step: 'find' }
  | { step: 'submit'; submission: number }
  | { step: 'read' }
  | { step: 'cancel' }
  /** No call: the payment is not continued, and its object is canceled next. */
  | { step: 'close'; reason: FailureReason }
  /** No call: there is no object that could be paid. */
  | { step: 'fail' }
  | { step: 'none' }

interface Situation {
  now: Date
  capabilities: Pick<Capabilities, 'replayMs' | 'settlesWithinMs'>
  /** Whether the provider knows the payer. */
  hasPayer: boolean
  /** Whether a check of a settled payment was requested: by an event of the provider or an operator. */
  isRequested: boolean
  /** Whether it was proven in this run that the provider has no object of the payment. */
  isAbsent: boolean
}

/** A payment of a buyer is submitted within this time, or never: no buyer is charged after they left. */
const submitWithinMs = 10 * 60_000

/** Time of a buyer to act, unless the provider names another. */
const actWithinMs = 30 * 60_000

/** Returns the next step of a payment that is due. Pure. */
export function nextCall(payment: PaymentProgress, situation: Situation): NextCall {
  const { state, theirs } = payment
  if (state === 'failed' || state === 'succeeded') return { step: situation.isRequested && theirs ? 'read' : 'none' }
  // In quarantine nothing is called that could move money.
  if (payment.quarantineReason !== null) return theirs ? { step: 'read' } : payment.preparation > 0 ? { step: 'find' } : { step: 'none' }
  if (state === 'created') return nextPreparation(payment, situation)
  if (state === 'prepared' || state === 'submitted') return nextSubmission(payment, situation)
  if (state === 'closing') return nextClosing(payment, situation)
  if (state === 'requires_action' && situation.now >= actionEnd(payment)) return { step: 'close', reason: 'abandoned' }
  return { step: 'read' }
}

/** Returns when the buyer can no longer complete the payment. */
export function actionEnd({ actionUntil, createdAt }: Pick<PaymentProgress, 'actionUntil' | 'createdAt'>): Date {
  return actionUntil ?? new Date(createdAt.getTime() + actWithinMs)
}

function nextPreparation(payment: PaymentProgress, { now, capabilities, hasPayer, isAbsent }: Situation): NextCall {
  const { preparation, sends, firstSentAt } = payment
  if (isLate(payment, now)) return { step: 'close', reason: 'abandoned' }
  if (!hasPayer) return { step: 'payer' }
  if (preparation === 0 || isAbsent) return { step: 'prepare', preparation: preparation + 1 }
  const isRepeatable = sends === 0 || isWithin(firstSentAt, { now, ms: capabilities.replayMs })
  return isRepeatable ? { step: 'prepare', preparation } : { step: 'find' }
}

function nextSubmission(payment: PaymentProgress, { now, capabilities }: Situation): NextCall {
  const { state, submission, sends, firstSentAt, sentAt, untouchedAt } = payment
  const isUnknown = state === 'submitted' && sends > 0
  if (isUnknown && !isProvenUntouched({ sentAt, untouchedAt }, capabilities)) return { step: 'read' }
  if (isLate(payment, now)) return { step: 'close', reason: 'abandoned' }
  if (submission > 0 && sends === 0) return { step: 'submit', submission }
  // The second answer under a key may be the stored first one: where the object is still untouched, the next key is needed.
  const isRepeatable = sends === 1 && isWithin(firstSentAt, { now, ms: capabilities.replayMs })
  return { step: 'submit', submission: isUnknown && isRepeatable ? submission : submission + 1 }
}

function nextClosing({ theirs, preparation }: PaymentProgress, { isAbsent }: Situation): NextCall {
  if (theirs) return { step: 'cancel' }
  return preparation === 0 || isAbsent ? { step: 'fail' } : { step: 'find' }
}

function isProvenUntouched(
  { sentAt, untouchedAt }: Pick<PaymentProgress, 'sentAt' | 'untouchedAt'>,
  { settlesWithinMs }: Situation['capabilities'],
): boolean {
  return untouchedAt !== null && (sentAt === null || untouchedAt.getTime() - sentAt.getTime() >= settlesWithinMs)
}

function isLate({ initiator, createdAt }: PaymentProgress, now: Date): boolean {
  const isByBuyer = initiator === 'buyer' || initiator === 'buyer_again'
  return isByBuyer && now.getTime() - createdAt.getTime() >= submitWithinMs
}

function isWithin(since: Date | null, { now, ms }: { now: Date; ms: number }): boolean {
  return since !== null && now.getTime() - since.getTime() < ms
}
