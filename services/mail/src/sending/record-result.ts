import { setTimeout as delay } from 'node:timers/promises'
import type { JobContext } from '@quittance/runtime/handler'
import { counter } from '@quittance/runtime/metrics'
import { isTransientDatabaseError } from '@quittance/runtime/unavailable'
import type { ClaimedMessage } from './claim-message.ts'
import { findNextAttempt, type TemporaryFailure } from './find-next-attempt.ts'

/** Each statement changes the row only while its lease is this attempt's: the result of a lost lease is discarded. */
const isClaimed = `id = :id and attempts = :attempts and status = 'waiting'`

const end = `
  update messages set status = :status, ended_at = now(), next_attempt_at = null, leased_until = null, sealed_secret = null, last_error = :reason,
    recipient = coalesce(recipient, :recipient::text)
  where ${isClaimed} returning id`

const store = `
  with ended as (
    update messages set status = 'sent', ended_at = now(), next_attempt_at = null, leased_until = null, sealed_secret = null, last_error = null,
      recipient = coalesce(recipient, :recipient::text)
    where ${isClaimed} returning id)
  insert into mailbox_messages (id, sealed_source) select id, :sealed_source::text from ended returning id`

// What does not expire has no precedence after a failure: anyone can cause receipts that are rejected for days.
const postpone = `
  update messages set next_attempt_at = now() + :delay * interval '1 second', leased_until = null, failures = failures + :steps, last_error = :reason,
    is_urgent = is_urgent and expires_at is not null
  where ${isClaimed} returning id`

// A renewal that arrives after the end of its attempt must not lease the mail again: that would delay the next attempt.
export const renewStatement = `
  update messages set leased_until = now() + :lease * interval '1 millisecond' where ${isClaimed} and leased_until is not null`

/** How a mail ended. */
export type EndStatus = 'sent' | 'failed' | 'disabled'

const ended = counter('mail_messages_total', 'Mails that ended, by kind and result: sent, failed, expired or disabled.', ['kind', 'result'])
export const countEnded = (kind: string, result: EndStatus | 'expired') => ended.inc({ kind, result })

interface Ending {
  status: EndStatus
  reason: string | null
}

/** Ends a mail. Returns false if the lease was lost. */
export async function recordEnd({ systemSql }: JobContext, claimed: ClaimedMessage, { status, reason }: Ending): Promise<boolean> {
  const { id, attempts, recipient, kind } = claimed
  const isRecorded = (await systemSql('message.end', end, { id, attempts, status, reason, recipient })).length > 0
  if (isRecorded) countEnded(kind, status)
  return isRecorded
}

const recordRetryMs = 250
/** A stop has 20 s for everything. */
const maxRecordRetryAtStopMs = 5_000

/**
 * Records the result of a mail that the server has. A transient error of the database is retried until the lease ends: a mail without its
 * result is sent again.
 */
async function recordSurely<Result>(context: JobContext, { id, kind }: ClaimedMessage, record: () => Promise<Result>): Promise<Result> {
  const endedAt = performance.now()
  for (;;) {
    try {
      return await record()
    } catch (error) {
      const limitMs = context.isStopping() ? Math.min(context.leaseMs, maxRecordRetryAtStopMs) : context.leaseMs
      if (!isTransientDatabaseError(error) || performance.now() - endedAt > limitMs) throw error
      context.log.warn({ err: error, message_id: id, kind }, 'message.result-not-recorded')
    }
    await delay(recordRetryMs)
  }
}

/** Ends a mail that the server accepted. Returns false if the lease was lost. */
export function recordSent(context: JobContext, claimed: ClaimedMessage): Promise<boolean> {
  return recordSurely(context, claimed, () => recordEnd(context, claimed, { status: 'sent', reason: null }))
}

/** Ends a mail as sent into the local mailbox, in one statement: a kill leaves it in the mailbox once or not at all. */
export async function recordStored({ systemSql }: JobContext, claimed: ClaimedMessage, sealedSource: string): Promise<boolean> {
  const { id, attempts, recipient, kind } = claimed
  const isRecorded =
    (await systemSql('message.store-in-mailbox', store, { id, attempts, recipient, sealed_source: sealedSource })).length > 0
  if (isRecorded) countEnded(kind, 'sent')
  return isRecorded
}

/** Records a temporary failure: another attempt by the schedule, or the end. */
export async function recordFailure(context: JobContext, claimed: ClaimedMessage, failure: TemporaryFailure): Promise<void> {
  const next = findNextAttempt(claimed, failure)
  const { reason, kind } = failure
  const { id, attempts } = claimed
  const record = async () => {
    if (next === null) await recordEnd(context, claimed, { status: 'failed', reason })
    else await context.systemSql('message.postpone', postpone, { id, attempts, ...next, reason })
  }
  await (kind === 'unanswered' ? recordSurely(context, claimed, record) : record())
}

/** Renews the lease while a slow server is asked. */
export async function renewLease({ systemSql, leaseMs }: JobContext, { id, attempts }: ClaimedMessage): Promise<void> {
  await systemSql('message.renew-lease', renewStatement, { id, attempts, lease: leaseMs })
}
