import { randomUUID } from 'node:crypto'
import { RequestValidationError } from '@quittance/contracts/errors'
import { recoverWebhookEndpoint as recoverWebhookEndpointContract } from '@quittance/contracts/webhooks'
import { command, job, type JobContext } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { requireEnabledEndpoint } from '../endpoints/endpoint-view.ts'
import { readInIndexOrder, workInTurn } from '../endpoints/work-in-turn.ts'
import { deliveryJobName, recoveryJobName } from '../job-names.ts'

const begin = `
  insert into webhook_recoveries (id, endpoint_id, organization_id, since, until)
  select :id::uuid, e.id, e.organization_id, :since::timestamptz, :until::timestamptz from webhook_endpoints e
  where e.id = :endpoint_id and e.organization_id = any (:scope_organizations)`

/** Replies at once. A job processes the recovery in batches and continues after a restart. */
export const recoverEndpoint = command(
  recoverWebhookEndpointContract,
  async ({ id: endpointId, since, until: requestedUntil }, { read, sql, now, wake }) => {
    await requireEnabledEndpoint({ read }, endpointId)
    const until = requestedUntil ?? now.toISOString()
    if (Date.parse(since) >= Date.parse(until)) throw RequestValidationError.field(['since'], 'Must be before until.')
    const id = randomUUID()
    await sql('recoveries.begin', begin, { id, endpoint_id: endpointId, since, until })
    wake(recoveryJobName)
    return { id, since, until }
  },
)

interface Recovery {
  id: string
  endpoint_id: string
  since: string
  until: string
  reached: string
  is_possible: boolean
}

const batch = 500

// The oldest recovery of each endpoint: another one of the same endpoint waits, so that its events do not overtake. So does one whose
// endpoint has deliveries that are still to be held.
const openSql = `
  select id, endpoint_id from (
    select distinct on (r.endpoint_id) r.id, r.endpoint_id, r.created_at from webhook_recoveries r
    where r.ended_at is null and not exists (select from webhook_backlogs b where b.endpoint_id = r.endpoint_id)
    order by r.endpoint_id, r.created_at, r.id) oldest
  where id <> all (:done::uuid[]) order by created_at limit 100`

const lockSql = `
  select r.id, r.endpoint_id, r.since::text, r.until::text, r.reached, e.disabled_at is null and e.deleted_at is null as is_possible
  from webhook_recoveries r join webhook_endpoints e on e.id = r.endpoint_id
  where r.id = :id and r.ended_at is null and not exists (select from webhook_backlogs b where b.endpoint_id = r.endpoint_id)
  for update of r skip locked`

const missedColumns = `
  select event_id, endpoint_id, occurred_at, position from webhook_deliveries
  where endpoint_id = :endpoint_id and position > :reached and occurred_at >= :since and occurred_at < :until and not is_test`

// After an outage most missed events wait for their next attempt, which may be a day ahead. Each kind has an index by position.
// Both orders follow the arrival of events: by position within a batch, and each batch is due before the next. Examples are not events that
// the endpoint has missed.
// The request is the seller's probe of the endpoint, so its first batch ends the pause of the circuit breaker. Later batches respect a new one.
// `is not distinct from` has PostgreSQL read all partitions: choosing them while it locks rows crashes PostgreSQL 18 (`npm run check:statements`).
const requeueSql = `
  with missed as (
    select * from (
      (${missedColumns} and status in ('held', 'failed') order by position limit :batch)
      union all (${missedColumns} and status = 'pending' and attempts > 0 and next_attempt_at > now() order by position limit :batch)) either
    order by position limit :batch),
  lane as materialized (select endpoint_id from webhook_lanes where endpoint_id = :endpoint_id for update),
  again as (
    update webhook_deliveries d set status = 'pending', round = d.round + 1, attempts = 0, next_attempt_at = now(), modified_at = now()
    from missed m, lane
    where d.event_id = m.event_id and d.endpoint_id = m.endpoint_id and d.occurred_at is not distinct from m.occurred_at
    returning d.position),
  due as (
    update webhook_lanes l set next_due_at = now(), paused_until = case when :reached::bigint > 0 then l.paused_until end
    from lane where l.endpoint_id = lane.endpoint_id and exists (select from again))
  select count(*)::int as count, max(position) as reached from again`

const progressSql = `
  update webhook_recoveries set reached = coalesce(:reached, reached), ended_at = case when :has_ended then now() end where id = :id`

/** Makes the missed deliveries of endpoints due again, one batch of one recovery per transaction. */
export const processRecoveries = job({
  name: recoveryJobName,
  everyMs: 5_000,
  async run(context) {
    await workInTurn(context, {
      list: (done) => context.systemSql<{ id: string; endpoint_id: string }>('recoveries.open', openSql, { done }),
      step: ({ id }) => continueRecovery(context, id),
      failed: 'recovery.not-continued',
    })
    return false
  },
})

/** Returns whether more deliveries may be missed. */
function continueRecovery(context: JobContext, id: string): Promise<boolean> {
  return context.systemTransaction(async ({ systemSql, wake }) => {
    const [recovery] = await systemSql<Recovery>('recoveries.lock', lockSql, { id })
    if (!recovery) return false
    await readInIndexOrder(systemSql)
    const { count, reached } = recovery.is_possible ? await requeueBatch(systemSql, recovery) : { count: 0, reached: null }
    await systemSql('recoveries.progress', progressSql, { id, reached, has_ended: count < batch })
    if (count > 0) wake(deliveryJobName)
    return count === batch
  })
}

async function requeueBatch(
  systemSql: SystemSql,
  { endpoint_id, since, until, reached }: Recovery,
): Promise<{ count: number; reached: string | null }> {
  const [row] = await systemSql<{ count: number; reached: string | null }>('recoveries.requeue', requeueSql, {
    endpoint_id,
    since,
    until,
    reached,
    batch,
  })
  return row ?? { count: 0, reached: null }
}
