import type { Answer, SeenRefund } from '../providers/provider.ts'
import { findDifferences, type ExpectedFacts } from '../payments/check-integrity.ts'
import { progressWaits, quarantineAfterMs, unansweredWaits, waitAt } from '../payments/check-schedule.ts'

export type RefundState = 'created' | 'submitted' | 'processing' | 'succeeded' | 'failed' | 'canceled'

/** What determines the next step of a refund; the names are those of payments. */
export interface RefundProgress {
  id: string
  state: RefundState
  theirs: string | null
  submission: number
  sends: number
  firstSentAt: Date | null
  sentAt: Date | null
  unansweredSince: Date | null
  checks: number
  observedAt: Date | null
  checkAfterMs: number | null
  failureReason: string | null
  quarantineReason: string | null
}

/** `isSearched`: the search just before found none, so that no earlier call has made the refund. */
export type RefundCall =
  | { step: 'submit'; submission: number; isSearched: boolean }
  | { step: 'find' }
  | { step: 'read' }
  | { step: 'none' }

const ranks: Record<RefundState, number> = { created: 0, submitted: 1, processing: 2, succeeded: 3, failed: 4, canceled: 4 }

/** From then on a lost refund is also searched for at the provider. */
const searchAfterMs = 15 * 60_000

const [second, day] = [1_000, 86_400_000]

const readAgainMs = 3_600_000
/** A bank may return a refund: a refund that was made is read again after these waits. */
const returnWaits = [2 * second, day, 7 * day, 30 * day]

/** Returns the next step of a refund that is due: a call without an answer is repeated under its key as long as the key holds. Pure. */
export function nextRefundCall(
  refund: RefundProgress,
  { now, replayMs, isAbsent }: { now: Date; replayMs: number; isAbsent: boolean },
): RefundCall {
  const { state, theirs, submission, sends, firstSentAt, quarantineReason } = refund
  if (state === 'failed' || state === 'canceled') return { step: 'none' }
  if (theirs !== null) return { step: 'read' }
  // Made by release 0.1.0, which kept no id.
  if (state === 'succeeded') return { step: isAbsent ? 'none' : 'find' }
  if (quarantineReason !== null) return { step: submission > 0 ? 'find' : 'none' }
  if (submission === 0 || sends === 0) return { step: 'submit', submission: Math.max(1, submission), isSearched: false }
  const ageMs = now.getTime() - (firstSentAt ?? now).getTime()
  if (ageMs < Math.min(searchAfterMs, replayMs)) return { step: 'submit', submission, isSearched: false }
  if (!isAbsent) return { step: 'find' }
  return { step: 'submit', submission: ageMs < replayMs ? submission : submission + 1, isSearched: true }
}

/** Plans the next call of a refund with the progress to commit before it, or when to check it again. Pure. */
export function planRefundCall(refund: RefundProgress, { previous, ...situation }: RefundSituation): RefundPlan {
  const { now } = situation
  const call = nextRefundCall(refund, situation)
  // Only a call after a search that found nothing follows at once.
  const isNext = !previous || ('absent' in previous.answer && previous.call.step === 'find' && call.step === 'submit')
  if (call.step === 'none' || !isNext) {
    const checks = isReadAgain(refund) ? refund.checks : refund.checks + 1
    return { call: null, progress: { ...refund, checks }, nextCheckAt: scheduleRefundCheck(refund, situation) }
  }
  const sent = recordRefundSend(refund, call, now)
  return { call, progress: sent, nextCheckAt: scheduleRefundCheck(sent, situation) ?? now }
}

interface RefundSituation {
  now: Date
  random: number
  replayMs: number
  isAbsent: boolean
  previous: { call: RefundCall; answer: Answer<SeenRefund> } | null
}

type RefundPlan = { call: RefundCall | null; progress: RefundProgress; nextCheckAt: Date | null }

/** Returns a refund before a call, which is committed first. */
export function recordRefundSend(refund: RefundProgress, call: RefundCall, now: Date): RefundProgress {
  const sent = { ...refund, unansweredSince: refund.unansweredSince ?? now }
  if (call.step !== 'submit') return sent
  const isSameKey = call.submission === refund.submission
  const [sends, firstSentAt] = isSameKey ? [refund.sends + 1, refund.firstSentAt ?? now] : [1, now]
  return { ...sent, state: 'submitted', submission: call.submission, sends, firstSentAt, sentAt: now }
}

interface Recorded {
  refund: RefundProgress
  isAbsent: boolean
}

/** Returns a refund after the answer to a call. A refund that the provider rejects is not made; one that does not match is quarantined. Pure. */
export function recordRefundAnswer(
  refund: RefundProgress,
  { call, answer, readAt }: { call: RefundCall; answer: Answer<SeenRefund>; readAt: Date },
  { now, expected }: { now: Date; expected: ExpectedFacts },
): Recorded {
  const recorded = (next: RefundProgress, isAbsent = false): Recorded => ({ refund: next, isAbsent })
  const answered = { ...refund, unansweredSince: null }
  if ('unknown' in answer) {
    if (!answer.sent) return recorded(unsend(refund, call))
    const since = refund.unansweredSince ?? readAt
    const isOverdue = now.getTime() - since.getTime() >= quarantineAfterMs
    return recorded({ ...refund, unansweredSince: since, quarantineReason: refund.quarantineReason ?? (isOverdue ? 'unanswered' : null) })
  }
  if ('misconfigured' in answer) {
    const isOnly = call.step === 'submit' && (refund.sends <= 1 || call.isSearched)
    const isRejected = isOnly && ['amount', 'currency', 'feature', 'request'].includes(answer.misconfigured)
    return recorded(isRejected ? { ...answered, state: 'failed', failureReason: answer.detail } : unsend(refund, call))
  }
  // That there is none is the answer that was missing.
  const known = refund.quarantineReason === 'unanswered' ? { ...answered, quarantineReason: null } : answered
  if ('absent' in answer) return recorded(known, true)
  const differences = findDifferences(expected, { ...answer.got, is: 'refund' })
  if (differences.length > 0) return recorded({ ...answered, quarantineReason: refund.quarantineReason ?? differences.join('; ') })
  return recorded(foldRefund({ ...answered, quarantineReason: null }, { seen: answer.got, readAt }))
}

/** Moves a refund forward: the highest rank wins. A refund that fails after it was made is returned by the bank. */
export function foldRefund(refund: RefundProgress, { seen, readAt }: { seen: SeenRefund; readAt: Date }): RefundProgress {
  const known = { ...refund, theirs: seen.theirs, checkAfterMs: seen.is === 'processing' ? seen.checkAfterMs : null }
  if (ranks[seen.is] <= ranks[refund.state]) return known
  const failureReason = 'reason' in seen ? seen.reason : null
  return { ...known, state: seen.is, observedAt: readAt, checks: 0, failureReason }
}

/** Whether the last read of a refund that was made had no answer: it is not one of the few that look for its return. */
function isReadAgain({ state, unansweredSince, quarantineReason }: RefundProgress): boolean {
  return state === 'succeeded' && unansweredSince !== null && quarantineReason === null
}

/** Returns when to check a refund again; null once nothing more is expected. */
export function scheduleRefundCheck(refund: RefundProgress, { now, random }: { now: Date; random: number }): Date | null {
  const { state, checks, quarantineReason, checkAfterMs } = refund
  if (state === 'failed' || state === 'canceled') return null
  if (isReadAgain(refund)) return new Date(now.getTime() + Math.round(readAgainMs * (0.9 + 0.2 * random)))
  if (state === 'succeeded' && checks >= returnWaits.length) return null
  const waits = state === 'succeeded' ? returnWaits : state === 'processing' ? progressWaits : unansweredWaits
  const waitMs = quarantineReason !== null ? day : (checkAfterMs ?? waitAt(waits, checks))
  return new Date(now.getTime() + Math.round(waitMs * (0.9 + 0.2 * random)))
}

function unsend(refund: RefundProgress, { step }: RefundCall): RefundProgress {
  if (step !== 'submit') return refund
  const sends = Math.max(0, refund.sends - 1)
  return { ...refund, sends, state: sends === 0 ? 'created' : refund.state, unansweredSince: sends === 0 ? null : refund.unansweredSince }
}
