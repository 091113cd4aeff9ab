/**
 * SQL of endpoint queues and due deliveries. A queue is leased to one replica. Its epoch (fencing token) grows with every lease, and
 * results are stored only under the epoch in which they were started.
 */
import type { JobContext } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'
import type { DueDelivery, EndpointQueue, LeasedQueueRow } from './endpoint-queue.ts'

/** Queues whose waiting deliveries are still to be held or cancelled; a job does that in batches. */
const backlogs = `array(select b.endpoint_id from webhook_backlogs b)`

// A leased queue is due again at lease expiry. A new event makes it due at once, and its owner reads it again.
const leaseSql = `
  with proven as (
    select endpoint_id from webhook_lanes
    where is_proven and ready_at <= now() and (leased_until is null or leased_until < now() or owner = :owner)
      and endpoint_id <> all (${backlogs})
    order by ready_at limit :most_proven for update skip locked),
  unproven as (
    select endpoint_id from webhook_lanes
    where not is_proven and ready_at <= now() and (leased_until is null or leased_until < now() or owner = :owner)
      and endpoint_id <> all (${backlogs})
    order by ready_at limit :most_unproven for update skip locked)
  update webhook_lanes l set
    epoch = case when owner = :owner and leased_until > now() then epoch else epoch + 1 end, owner = :owner,
    leased_until = case when owner = :owner and leased_until > now() then leased_until else now() + :lease_ms * interval '1 millisecond' end,
    next_due_at = case when owner = :owner and leased_until > now() then leased_until else now() + :lease_ms * interval '1 millisecond' end,
    paused_until = null
  where endpoint_id in (select endpoint_id from proven union all select endpoint_id from unproven)
  returning endpoint_id, epoch, is_proven, trips, failures, failed_events`

export interface LeaseCapacity {
  owner: string
  proven: number
  unproven: number
}

/** Leases queues with due deliveries, and returns own queues with new deliveries too. */
export function leaseQueues({ systemSql, leaseMs }: JobContext, { owner, proven, unproven }: LeaseCapacity): Promise<LeasedQueueRow[]> {
  return systemSql<LeasedQueueRow>('lanes.lease', leaseSql, { owner, most_proven: proven, most_unproven: unproven, lease_ms: leaseMs })
}

// In the order of ids, as results are stored: two statements of one replica lock the same queues at the same time.
const lockSql = `
  select l.endpoint_id from webhook_lanes l
  join unnest(:endpoint_ids::uuid[], :epochs::bigint[]) as held (endpoint_id, epoch) on l.endpoint_id = held.endpoint_id and l.epoch = held.epoch
  order by l.endpoint_id for update of l`

const renewSql = `
  with locked as materialized (${lockSql})
  update webhook_lanes l set leased_until = now() + :lease_ms * interval '1 millisecond',
    next_due_at = case when l.next_due_at <= now() then l.next_due_at else now() + :lease_ms * interval '1 millisecond' end
  from locked where l.endpoint_id = locked.endpoint_id
  returning l.endpoint_id`

/** Renews the leases that are still owned and returns their endpoint ids. */
export async function renewLeases(
  { systemSql, leaseMs }: Pick<JobContext, 'systemSql' | 'leaseMs'>,
  queues: readonly EndpointQueue[],
): Promise<Set<string>> {
  const renewed = await systemSql<{ endpoint_id: string }>('lanes.renew', renewSql, { ...toArrays(queues), lease_ms: leaseMs })
  return new Set(renewed.map(({ endpoint_id }) => endpoint_id))
}

const releaseSql = `
  update webhook_lanes l set owner = null, leased_until = null, next_due_at = (
    select min(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = l.endpoint_id and d.status = 'pending')
  where l.endpoint_id = any (:endpoint_ids)`

/**
 * Releases leases. One statement locks and the next one writes: an event that arrived while the first waited for its lock is visible only
 * to the second.
 */
export async function releaseLeases(systemSql: SystemSql, queues: readonly EndpointQueue[]): Promise<void> {
  const locked = await systemSql<{ endpoint_id: string }>('lanes.lock', lockSql, toArrays(queues))
  await systemSql('lanes.release', releaseSql, { endpoint_ids: locked.map(({ endpoint_id }) => endpoint_id) })
}

function toArrays(queues: readonly EndpointQueue[]) {
  return { endpoint_ids: queues.map(({ lease }) => lease.endpointId), epochs: queues.map(({ lease }) => lease.epoch) }
}

const dueSql = `
  select d.event_id, d.endpoint_id, d.occurred_at::text, e.organization_id, d.aggregate_id, d.event_type, d.round, d.attempts, d.is_test,
    coalesce(d.body, ev.payload) as payload, ev.traceparent, e.url, e.rate_limit, e.sealed_secret,
    array(select p ->> 'sealed' from jsonb_array_elements(e.sealed_previous) p where (p ->> 'expires_at')::timestamptz > now()) as sealed_previous,
    e.disabled_at is not null as is_disabled,
    e.deleted_at is null and (d.is_test or e.events && array[d.event_type, split_part(d.event_type, '.', 1) || '.*', '*']) as is_wanted
  from unnest(:endpoint_ids::uuid[], :counts::int[]) as asked (endpoint_id, count)
  join webhook_endpoints e on e.id = asked.endpoint_id
  cross join lateral (
    select * from webhook_deliveries w
    where w.endpoint_id = asked.endpoint_id and w.status = 'pending' and w.next_attempt_at <= now()
    order by w.next_attempt_at, w.position limit asked.count) d
  left join webhook_events ev on ev.id = d.event_id and ev.occurred_at = d.occurred_at
  where asked.endpoint_id <> all (${backlogs})
  order by d.next_attempt_at, d.position`

/** Returns the due deliveries of these queues, oldest due time first, including those in progress. */
export function readDueDeliveries(
  { systemSql }: JobContext,
  requests: readonly { queue: EndpointQueue; count: number }[],
): Promise<DueDelivery[]> {
  return systemSql<DueDelivery>('deliveries.due', dueSql, {
    endpoint_ids: requests.map(({ queue }) => queue.lease.endpointId),
    counts: requests.map(({ count }) => count),
  })
}

const repairSql = `
  update webhook_lanes l set next_due_at = d.next_due_at
  from webhook_lanes known cross join lateral (
    select min(w.next_attempt_at) as next_due_at from webhook_deliveries w where w.endpoint_id = known.endpoint_id and w.status = 'pending') d
  where l.endpoint_id = known.endpoint_id and l.owner is null and d.next_due_at < coalesce(l.next_due_at, 'infinity')
  returning l.endpoint_id`

/** Safety net: repairs queues that should have been due earlier. Returns 0 while the statements above are correct. */
export async function repairDueTimes({ systemSql }: JobContext): Promise<number> {
  return (await systemSql('lanes.repair', repairSql)).length
}
