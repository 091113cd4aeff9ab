import { statement } from '@quittance/sql/statement'
import { sweepIdempotentReplies } from '../handlers/idempotency.ts'
import type { Leadership } from '../jobs/leader-election.ts'

/** Rows of one statement: events that are committed while it runs wait for it. */
const batchSize = 1_000
const intervalMs = 3_600_000
/** Longer than the retention of the stream, so that a tail lost by the stream can be published again. */
const keepPublishedFor = '7 days'
/** Longer than any redelivery: by the stream, or of a tail that is published again. */
const keepReceivedFor = '30 days'

// Reads positions from the oldest, up to the first row within the retention.
const sweepOutbox = statement(
  'outbox.sweep',
  `with oldest as (
     select position, published_at from outbox_messages where published_at is not null order by position limit :batch)
   delete from outbox_messages where position = any (array(
     select position from oldest where position < coalesce(
       (select min(position) from oldest where published_at >= now() - interval '${keepPublishedFor}'), 9223372036854775807)))
   returning 1`,
)
const sweepInbox = statement(
  'inbox.sweep',
  `delete from inbox_messages where ctid = any (array(
     select ctid from inbox_messages where received_at < now() - interval '${keepReceivedFor}' order by received_at limit :batch))
   returning 1`,
)
const sweepReplies = statement('idempotency.sweep', sweepIdempotentReplies)

/**
 * Returns a function that deletes one batch of expired messages and replies, once an hour until none is left. It returns whether more are left:
 * the caller publishes in between.
 */
export function createSweep(): (leadership: Leadership) => Promise<boolean> {
  let waiting: (typeof sweepOutbox)[] = []
  let dueAt = 0
  return async ({ execute }) => {
    if (Date.now() >= dueAt) {
      waiting = [sweepOutbox, sweepInbox, sweepReplies]
      dueAt = Date.now() + intervalMs
    }
    const [next] = waiting
    if (!next) return false
    const deleted = await execute(next, [batchSize])
    if (deleted.length < batchSize) waiting.shift()
    return waiting.length > 0
  }
}
