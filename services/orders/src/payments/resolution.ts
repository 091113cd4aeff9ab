import type { Answer, Seen } from '../providers/provider.ts'
import { findDifferences, type ExpectedFacts } from './check-integrity.ts'
import { close, fail, fold } from './fold.ts'
import type { Effect, PaymentProgress } from './payment-progress.ts'

/** A payment or setup after the decision of an operator, with everything that follows outside of it. */
export interface Decision {
  payment: PaymentProgress
  effects: Effect[]
}

interface Deciding {
  as: 'succeeded' | 'failed'
  force: boolean
  /** What the provider reports; null if this installation does not offer it. */
  answer: Answer<Seen> | null
  /** When the call began. */
  seenAt: Date
  expected: ExpectedFacts
}

/**
 * Returns a payment or setup as an operator decides. Without `force` the provider must report the same, of the same object and amount; an object
 * that can still be paid is canceled first. A setup only succeeds with the method that the provider reports. Pure.
 */
export function decide(payment: PaymentProgress, { as, force, answer, seenAt, expected }: Deciding): Decision | { refusal: string } {
  const released: PaymentProgress = { ...payment, quarantineReason: null, unansweredSince: null }
  const seen = answer && 'got' in answer ? answer.got : null
  const differences = seen ? findDifferences(expected, seen) : []
  const agrees = differences.length === 0 && isReported(as, answer)
  if (!agrees && !force) {
    const reported = [describeState(answer), ...differences].join(', ')
    return { refusal: `The provider reports ${reported}. Compare both, then repeat with --force.` }
  }
  if (as === 'succeeded') {
    if (agrees && seen) return fold(released, { seen, readAt: seenAt })
    const method = seen?.is === 'succeeded' ? seen.method : null
    if (!released.money && !method) return { refusal: 'The provider reports no method that could be stored.' }
    const effect: Effect = released.money ? { effect: 'captured', received: released.money, method: null } : { effect: 'stored', method }
    const settled = { decline: null, declinedAt: null, failureReason: null, action: null, checks: 0 } as const
    return { payment: { ...released, ...settled, state: 'succeeded', theirs: released.theirs ?? seen?.theirs ?? null }, effects: [effect] }
  }
  const canBePaid = seen?.is === 'untouched' || seen?.is === 'declined'
  return agrees && canBePaid ? { payment: close(released, 'canceled'), effects: [] } : fail(released)
}

/** Whether the provider reports what was decided. Without an answer it does not. */
function isReported(as: Deciding['as'], answer: Deciding['answer']): boolean {
  if (!answer || 'unknown' in answer || 'misconfigured' in answer) return false
  if ('absent' in answer) return as === 'failed'
  return as === 'succeeded' ? answer.got.is === 'succeeded' : ['untouched', 'declined', 'canceled'].includes(answer.got.is)
}

/** Returns what was reported: a state, that there is no object, or that there was no answer. */
export function describeState(answer: Answer<Seen> | null): string {
  if (!answer || 'unknown' in answer) return 'nothing'
  if ('misconfigured' in answer) return `nothing (${answer.misconfigured})`
  return 'absent' in answer ? 'no such object' : answer.got.is
}
