import type { Seen } from '../providers/provider.ts'
import type { Effect, FailureReason, PaymentProgress, PaymentState } from './payment-progress.ts'

/** What was seen of the object of a payment. It passed the check of its integrity. */
export interface Observation {
  seen: Seen
  /** When the call that returned it began. */
  readAt: Date
}

interface Folded {
  payment: PaymentProgress
  effects: Effect[]
}

const ranks: Record<PaymentState, number> = {
  created: 0,
  prepared: 1,
  submitted: 2,
  requires_action: 3,
  processing: 3,
  closing: 4,
  failed: 5,
  succeeded: 6,
}

/** Returns the rank of a state. No observation lowers it. */
export function rankState(state: PaymentState): number {
  return ranks[state]
}

const stateOf: Record<Seen['is'], PaymentState> = {
  untouched: 'prepared',
  requires_action: 'requires_action',
  processing: 'processing',
  // The object can still be paid until it is canceled.
  declined: 'closing',
  canceled: 'failed',
  succeeded: 'succeeded',
}

/**
 * Moves a payment forward by an observation: the highest rank wins, whenever it was seen; within a rank the call that began later does. So
 * any order and repetition of the same observations ends in the same state. Pure, and defined for every state and observation.
 */
export function fold(payment: PaymentProgress, { seen, readAt }: Observation): Folded {
  const known = answer(payment, { seen, readAt })
  const state = stateOf[seen.is]
  if (!isLater(payment, { state, readAt })) return { payment: known, effects: [] }
  const next: PaymentProgress = {
    ...known,
    state,
    observedAt: readAt,
    checks: state === payment.state ? payment.checks : 0,
    ...toDetails(seen),
  }
  if (state === payment.state) return { payment: next, effects: [] }
  if (state === 'failed') return fail(next)
  if (state === 'succeeded') return succeed(next, seen)
  return { payment: next, effects: [] }
}

/** Ends a payment without a capture. Only where its object can no longer be paid, or was never made. */
export function fail(payment: PaymentProgress): Folded {
  const reason: FailureReason = payment.decline ? 'declined' : (payment.failureReason ?? 'canceled')
  return {
    payment: { ...payment, state: 'failed', checks: 0, action: null, failureReason: reason },
    effects: [{ effect: 'failed', reason }],
  }
}

/** Ends a payment that is not to be paid any more; its object is canceled next. */
export function close(payment: PaymentProgress, reason: FailureReason): PaymentProgress {
  return { ...payment, state: 'closing', checks: 0, action: null, failureReason: reason }
}

/** What every answer shows, whatever the state. */
function answer(payment: PaymentProgress, { seen, readAt }: Observation): PaymentProgress {
  const isUntouched = seen.is === 'untouched' && (payment.untouchedAt === null || readAt > payment.untouchedAt)
  return {
    ...payment,
    theirs: seen.theirs,
    unansweredSince: null,
    untouchedAt: isUntouched ? readAt : payment.untouchedAt,
    ...declineIn(payment, { seen, readAt }),
  }
}

/** The latest decline is kept, until the payment succeeds. */
function declineIn(payment: PaymentProgress, { seen, readAt }: Observation): Partial<PaymentProgress> {
  const { decline, declinedAt } = payment
  if (seen.is !== 'declined' || payment.state === 'succeeded') return {}
  if (declinedAt && (declinedAt > readAt || (declinedAt.getTime() === readAt.getTime() && (decline?.code ?? '') >= seen.decline.code)))
    return {}
  return { decline: seen.decline, declinedAt: readAt, failureReason: 'declined' }
}

function isLater(payment: PaymentProgress, { state, readAt }: { state: PaymentState; readAt: Date }): boolean {
  const [before, after] = [rankState(payment.state), rankState(state)]
  if (before !== after) return after > before
  const seenAt = payment.observedAt?.getTime() ?? -Infinity
  if (seenAt !== readAt.getTime()) return readAt.getTime() > seenAt
  return state > payment.state
}

function toDetails(seen: Seen): Partial<PaymentProgress> {
  const none = { action: null, actionUntil: null, checkAfterMs: null }
  if (seen.is === 'requires_action') return { ...none, action: seen.action, actionUntil: seen.until }
  if (seen.is === 'processing') return { ...none, checkAfterMs: seen.checkAfterMs }
  return none
}

function succeed(payment: PaymentProgress, seen: Seen): Folded {
  if (seen.is !== 'succeeded') return { payment, effects: [] }
  const next = { ...payment, charge: seen.charge, decline: null, declinedAt: null, failureReason: null }
  const { method } = seen
  const effect: Effect = seen.received ? { effect: 'captured', received: seen.received, method } : { effect: 'stored', method }
  return { payment: next, effects: [effect] }
}
