import type { AttemptOutcome } from '../http/post-webhook.ts'

/** Input for the delay before a retry. */
export interface RetryInput {
  /** Seconds before each retry, from the configuration. */
  schedule: readonly number[]
  /** Attempts made, including the failed one. */
  attemptCount: number
  /** Milliseconds requested by `Retry-After`, or null. */
  retryAfterMs: number | null
  /** Between 0 and 1; spreads the retries of deliveries that failed together. */
  random: number
}

const jitter = 0.2
const maxRetryAfterMs = 24 * 3_600_000

/** Returns the milliseconds from the end of the failed attempt to the next one, or null if there is none. */
export function retryDelayMs({ schedule, attemptCount, retryAfterMs, random }: RetryInput): number | null {
  const seconds = schedule[attemptCount - 1]
  if (seconds === undefined) return null
  const planned = seconds * 1000 * (1 - jitter + 2 * jitter * random)
  return Math.round(Math.max(planned, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)))
}

/** Returns the milliseconds that `Retry-After` requests (RFC 9110 §10.2.3: seconds or a date); null for other values and past dates. */
export function parseRetryAfter(value: string | null, now: Date): number | null {
  if (!value) return null
  if (/^\d+$/.test(value)) return Number(value) * 1000
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return null
  // The form of `asctime` (RFC 9110 §5.6.7) ends with the year: it is in UTC without naming it.
  const wait = Date.parse(/ \d{4}$/.test(value) ? `${value} GMT` : value) - now.getTime()
  return wait > 0 ? wait : null
}

/** Outcome of `decideRetry`. */
export interface RetryDecision {
  status: 'succeeded' | 'failed' | 'pending'
  /** Milliseconds until the next attempt; null unless pending. */
  waitMs: number | null
}

interface RetryDecisionInput {
  outcome: AttemptOutcome
  /** Attempts made, including this one. */
  attemptCount: number
  schedule: readonly number[]
  random: number
  now: Date
}

/** Decides whether to retry. Failures are retried until the schedule is exhausted; 410 Gone is final. */
export function decideRetry({ outcome, attemptCount, schedule, random, now }: RetryDecisionInput): RetryDecision {
  if (outcome.reason === null) return { status: 'succeeded', waitMs: null }
  if (outcome.reason === 'gone') return { status: 'failed', waitMs: null }
  const waitMs = retryDelayMs({ schedule, attemptCount, retryAfterMs: parseRetryAfter(outcome.retryAfter, now), random })
  return waitMs === null ? { status: 'failed', waitMs } : { status: 'pending', waitMs }
}
