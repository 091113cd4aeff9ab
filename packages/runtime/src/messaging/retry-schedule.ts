import { isDatabaseTimeout, isLockConflict } from '../database/unavailable.ts'
import { UnreadableEvent } from './incoming-event.ts'

/** Delays between the attempts of a message, in milliseconds; after the last one it becomes a dead letter. */
const retryAfterMs = [50, 250, 1_000, 3_000, 10_000] as const

/**
 * The same after an attempt that the database ended by its time: 16 minutes in all. Load that makes a statement slow, as that of a migration,
 * lasts longer than most other failures, and every attempt adds to it.
 */
const timeoutRetryAfterMs = [5_000, 30_000, 60_000, 300_000, 600_000] as const

/** An attempt has already waited for the lock, for the lock timeout or until a deadlock was detected. */
const lockRetryMs = 250

/** What follows a failed attempt. */
export interface RetryDecision {
  /** Milliseconds until the next attempt. */
  delay: number
  /** Attempts used up by this one. */
  counted: 0 | 1
}

/**
 * Decides what follows a failed attempt, after `attempts` counted ones; null if it was the last one. Waiting for a lock is not counted, because the
 * cause is the transaction that holds the lock. A statement timeout is counted, because the cause may be the message.
 */
export function decideRetry(error: unknown, attempts: number): RetryDecision | null {
  if (error instanceof UnreadableEvent) return null
  if (isLockConflict(error)) return { delay: lockRetryMs, counted: 0 }
  const delay = (isDatabaseTimeout(error) ? timeoutRetryAfterMs : retryAfterMs)[attempts]
  return delay === undefined ? null : { delay, counted: 1 }
}
