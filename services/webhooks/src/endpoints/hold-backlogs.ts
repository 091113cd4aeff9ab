import { job, type Transaction } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { deliveryJobName, recoveryJobName } from '../job-names.ts'
import { readInIndexOrder, workInTurn } from './work-in-turn.ts'

/** A second request starts from the beginning: more deliveries wait by then. */
const registerSql = `
  insert into webhook_backlogs (endpoint_id)
  select id from webhook_endpoints where id = :id and organization_id = any (:scope_organizations)
  on conflict (endpoint_id) do update set requested_at = clock_timestamp(), status = 'pending', reached_at = '-infinity', reached_position = 0`

/**
 * Has the waiting deliveries of an endpoint held, or cancelled if the endpoint is deleted, by a job. None of them is sent from the commit
 * on, even if the endpoint is enabled before the job has reached them.
 */
export async function registerBacklog({ sql, wake }: Transaction, endpointId: string): Promise<void> {
  await sql('backlogs.register', registerSql, { id: endpointId })
  wake(holdBacklogs.name)
}

/** Rows per transaction. */
const batch = 500

const openSql = `
  select endpoint_id as id, endpoint_id from webhook_backlogs
  where endpoint_id <> all (:done::uuid[]) order by requested_at limit 100`

const lockSql = `
  select b.endpoint_id, b.requested_at::text, b.status, b.reached_at::text, b.reached_position, e.deleted_at is not null as is_deleted
  from webhook_backlogs b join webhook_endpoints e on e.id = b.endpoint_id
  where b.endpoint_id = :endpoint_id for update of b skip locked`

interface Backlog {
  endpoint_id: string
  requested_at: string
  /** Status of the deliveries that are read next. */
  status: string
  reached_at: string
  reached_position: string
  is_deleted: boolean
}

/**
 * Locks the waiting rows of a batch without waiting for other transactions, so that none of them waits for this one in turn. `case` keeps
 * PostgreSQL from the partial indexes, which have all that is left: it finds the rows by their keys.
 * `is not distinct from` has PostgreSQL read all partitions: choosing them while it locks rows crashes PostgreSQL 18 (`npm run check:statements`).
 */
const lockedSql = `
  locked as materialized (
    select d.event_id, d.endpoint_id, d.occurred_at from batch
      join webhook_deliveries d on d.event_id = batch.event_id and d.endpoint_id = batch.endpoint_id and d.occurred_at is not distinct from batch.occurred_at
    where batch.is_waiting and case d.status when :status then d.status = 'held' or coalesce(d.modified_at, d.created_at) <= :requested_at end
    for update of d skip locked),
  ended as (
    update webhook_deliveries d set status = :ended_status, next_attempt_at = null, modified_at = now() from locked
    where d.event_id = locked.event_id and d.endpoint_id = locked.endpoint_id and d.occurred_at is not distinct from locked.occurred_at)
  select (select count(*)::int from batch) as read, (select count(*)::int from batch where is_waiting) as waiting,
    (select count(*)::int from locked) as ended`

// Leaves what was created or changed since: a redelivery, or the retry after a POST that was in progress. It is held when it becomes due
// if the endpoint is still disabled.
const endPendingSql = `
  with batch as materialized (
    select event_id, endpoint_id, occurred_at, next_attempt_at, position, coalesce(modified_at, created_at) <= :requested_at as is_waiting
    from webhook_deliveries
    where endpoint_id = :endpoint_id and status = 'pending' and (next_attempt_at, position) > (:reached_at::timestamptz, :reached_position::bigint)
    order by next_attempt_at, position limit ${batch}),
  ${lockedSql}, last.next_attempt_at::text as reached_at, last.position as reached_position
  from (select next_attempt_at, position from batch order by next_attempt_at desc, position desc limit 1) last`

// Reads failed deliveries too, because the index has both: the rows that are read bound a batch.
const endHeldSql = `
  with batch as materialized (
    select event_id, endpoint_id, occurred_at, position, status = 'held' as is_waiting from webhook_deliveries
    where endpoint_id = :endpoint_id and status in ('held', 'failed') and position > :reached_position
    order by position limit ${batch}),
  ${lockedSql}, :reached_at::text as reached_at, last.position as reached_position
  from (select position from batch order by position desc limit 1) last`

interface EndedBatch {
  /** Rows of the batch, those of them that wait, and those of these that no other transaction had locked. */
  read: number
  waiting: number
  ended: number
  /** Last row of the batch. */
  reached_at: string
  reached_position: string
}

const progressSql = `
  update webhook_backlogs set status = :status, reached_at = :reached_at, reached_position = :reached_position where endpoint_id = :endpoint_id`
const endSql = `delete from webhook_backlogs where endpoint_id = :endpoint_id`

/**
 * Holds or cancels the waiting deliveries of disabled and deleted endpoints, one batch of one endpoint per transaction. Their queues are
 * neither leased nor read, and their recoveries wait, until it is done.
 */
export const holdBacklogs = job({
  name: 'hold-backlogs',
  everyMs: 5_000,
  async run(context) {
    await workInTurn(context, {
      list: (done) => context.systemSql<{ id: string; endpoint_id: string }>('backlogs.open', openSql, { done }),
      step: ({ endpoint_id }) =>
        context.systemTransaction(async ({ systemSql, wake }) => {
          const [backlog] = await systemSql<Backlog>('backlogs.lock', lockSql, { endpoint_id })
          if (!backlog) return false
          await readInIndexOrder(systemSql)
          const progress = await endBatch(systemSql, backlog)
          if (progress !== 'ended') return progress === 'more'
          await systemSql('backlogs.end', endSql, { endpoint_id })
          wake(deliveryJobName, recoveryJobName)
          return false
        }),
      failed: 'backlog.not-held',
    })
    return false
  },
})

/** `later`: what is left is locked by other transactions. */
type BatchProgress = 'more' | 'later' | 'ended'

async function endBatch(systemSql: SystemSql, { is_deleted, ...backlog }: Backlog): Promise<BatchProgress> {
  const values = { ...backlog, ended_status: is_deleted ? 'cancelled' : 'held' }
  const { endpoint_id, status } = backlog
  const [ended] =
    status === 'pending'
      ? await systemSql<EndedBatch>('backlogs.end-pending', endPendingSql, values)
      : await systemSql<EndedBatch>('backlogs.end-held', endHeldSql, values)
  if (ended && ended.ended < ended.waiting) return ended.ended > 0 ? 'more' : 'later'
  if (ended?.read === batch) {
    const { reached_at, reached_position } = ended
    await systemSql('backlogs.progress', progressSql, { endpoint_id, status, reached_at, reached_position })
    return 'more'
  }
  if (!is_deleted || status === 'held') return 'ended'
  await systemSql('backlogs.progress', progressSql, { endpoint_id, status: 'held', reached_at: 'infinity', reached_position: 0 })
  return 'more'
}
