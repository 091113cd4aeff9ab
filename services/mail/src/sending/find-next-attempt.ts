import type { ClaimedMessage } from './claim-message.ts'

/** A failure after which a mail is tried again. */
export interface TemporaryFailure {
  reason: string
  schedule: readonly number[]
  /** `unavailable`: there was no server to ask. `unknown`: what the mail needs has not arrived. `unanswered`: it may have been delivered. */
  kind: 'deferred' | 'unavailable' | 'unknown' | 'unanswered'
}

interface NextAttempt {
  /** Seconds until then. */
  delay: number
  /** How many retries of the schedule it uses up. */
  steps: number
}

/** Returns when a mail is tried again after a failure; null after the last attempt. */
export function findNextAttempt(claimed: ClaimedMessage, { schedule, kind }: TemporaryFailure): NextAttempt | null {
  if (kind === 'unanswered') return findRepetition(claimed, schedule)
  if (kind === 'unavailable' || kind === 'unknown') return findFreeAttempt(claimed, schedule)
  return findRetry(claimed, schedule)
}

/** Codes are useless after ten minutes, so they are tried often. */
const urgentDelaySeconds = 15

/** An urgent mail that expires is tried until then. */
function findRetry({ is_urgent, expires_at, failures }: ClaimedMessage, schedule: readonly number[]): NextAttempt | null {
  const scheduled = schedule[failures]
  if (is_urgent && expires_at !== null) return { delay: Math.min(urgentDelaySeconds, scheduled ?? urgentDelaySeconds), steps: 1 }
  return scheduled === undefined ? null : { delay: scheduled, steps: 1 }
}

/**
 * How long a failure that is not about the mail uses up no retry: as long as mail servers queue (RFC 5321, 4.5.4.1), and longer than the three
 * days after which auth repeats every seller.
 */
const maxFreeMs = 5 * 24 * 3_600_000
/** Maximum wait before the next attempt then. */
const maxFreeDelaySeconds = 3_600

/**
 * An outage, or a wait for the seller, uses up no retry for five days: the first reply after it may defer the mail, as servers do with senders
 * they do not know. The waits of the schedule follow the attempts instead, and the last one repeats.
 */
function findFreeAttempt(claimed: ClaimedMessage, schedule: readonly number[]): NextAttempt | null {
  const isFree = Date.now() - new Date(claimed.created_at).getTime() < maxFreeMs
  const failures = isFree ? Math.min(claimed.attempts, schedule.length) - 1 : claimed.failures
  const retry = findRetry({ ...claimed, failures }, schedule)
  return retry && { delay: Math.min(retry.delay, maxFreeDelaySeconds), steps: isFree ? 0 : retry.steps }
}

/** Minimum wait before a mail is repeated that may have been delivered. */
const minUnansweredDelaySeconds = 3_600

/** Returns when a mail is repeated that may have been delivered: only after the long waits of the schedule, but once at least. */
function findRepetition({ is_urgent, expires_at, failures }: ClaimedMessage, schedule: readonly number[]): NextAttempt | null {
  // A code is useless by then, and a second one does no harm.
  if (is_urgent && expires_at !== null && failures === 0) return { delay: urgentDelaySeconds, steps: 1 }
  const next = schedule.findIndex((wait, index) => index >= failures && wait >= minUnansweredDelaySeconds)
  if (next >= 0) return { delay: schedule[next] as number, steps: next + 1 - failures }
  if (failures >= schedule.length) return null
  return { delay: minUnansweredDelaySeconds, steps: schedule.length - failures }
}
