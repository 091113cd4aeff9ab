import type { Outcome } from './attempt.ts'
import { readRetryAfter, retryDelayMs } from './retry-schedule.ts'

/** What an attempt means for its delivery. */
export interface Verdict {
  status: 'succeeded' | 'failed' | 'pending'
  /** Milliseconds to the next try; null unless pending. */
  waitMs: number | null
}

interface Case {
  outcome: Outcome
  /** Tries made, this one included. */
  tries: number
  schedule: readonly number[]
  random: number
  now: Date
}

/** A failure is tried again while the schedule lasts, except that an endpoint which is gone is believed. */
export function judge({ outcome, tries, schedule, random, now }: Case): Verdict {
  if (outcome.reason === null) return { status: 'succeeded', waitMs: null }
  if (outcome.reason === 'gone') return { status: 'failed', waitMs: null }
  const waitMs = retryDelayMs({ schedule, tries, askedMs: readRetryAfter(outcome.retryAfter, now), random })
  return waitMs === null ? { status: 'failed', waitMs } : { status: 'pending', waitMs }
}
