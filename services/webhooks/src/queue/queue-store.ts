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

/**
 * Maximum bytes of the payloads of one read, so that its duration and memory are bounded. Organizations share them equally, and none gets more
 * than a quarter: other tenants wait until the POSTs of a read are signed and written. The first delivery of a queue is read whatever its size.
 */
const maxReadBytes = 4 * 1024 * 1024

/** Deliveries of omitted aggregates that a read passes over, so that its duration is bounded. Those beyond delay the others of their queue. */
const maxOmitted = 1_000

// `octet_length` reads no payload: PostgreSQL stores the length beside the pointer to a large value. Only selected payloads are read.
const dueSql = `
  with asked as materialized (
    select q.count, q.started, q.omitted, e.*
    from unnest(:endpoint_ids::uuid[], :counts::int[], :started::text[], :omitted::text[]) as q (endpoint_id, count, started, omitted)
    join webhook_endpoints e on e.id = q.endpoint_id
    where q.endpoint_id <> all (${backlogs})),
  shares as (
    select organization_id, :max_bytes::bigint / greatest(4, count(*) over ()) / count(*) as bytes from asked group by organization_id)
  select d.event_id, d.endpoint_id, d.occurred_at::text, e.organization_id, d.aggregate_id, d.event_type, d.round, d.attempts, d.is_test,
    d.payload, d.traceparent, d.has_next, e.url, e.rate_limit, e.sealed_secret,
    array(select p ->> 'sealed' from jsonb_array_elements(e.sealed_previous) p where (p ->> 'expires_at')::timestamptz > now()) as sealed_previous,
    e.disabled_at is not null as is_disabled,
    e.deleted_at is null and (d.is_test or e.events && array[d.event_type, split_part(d.event_type, '.', 1) || '.*', '*']) as is_wanted
  from asked e
  join shares on shares.organization_id = e.organization_id
  cross join lateral (
    select w.*, coalesce(w.body, ev.payload) as payload, ev.traceparent, row_number() over due as number,
      sum(coalesce(octet_length(coalesce(w.body, ev.payload)), 0)) over due as bytes, lead(true, 1, false) over due as has_next
    from (
      select * from (
        select * from webhook_deliveries
        where endpoint_id = e.id and status = 'pending' and next_attempt_at <= now() and event_id <> all (e.started::uuid[])
        order by next_attempt_at, position limit e.count + case when e.omitted = '{}' then 0 else ${maxOmitted} end) o
      where aggregate_id <> all (e.omitted::uuid[])
      order by next_attempt_at, position limit e.count) w
    left join webhook_events ev on ev.id = w.event_id and ev.occurred_at = w.occurred_at
    window due as (order by w.next_attempt_at, w.position rows unbounded preceding)) d
  where d.number = 1 or d.bytes <= shares.bytes
  order by d.next_attempt_at, d.position`

/** Due deliveries of one queue to read. */
export interface DueRequest {
  queue: EndpointQueue
  /** Maximum number of deliveries. */
  count: number
  /** Events whose delivery has started. They are due until their result is stored, and must use up neither the number nor the bytes. */
  started: readonly string[]
  /** Aggregates whose events cannot start now. */
  omitted: readonly string[]
}

/** Returns the due deliveries of these queues that have not started, oldest due time first. */
export function readDueDeliveries({ systemSql }: JobContext, requests: readonly DueRequest[]): Promise<DueDelivery[]> {
  return systemSql<DueDelivery>('deliveries.due', dueSql, {
    endpoint_ids: requests.map(({ queue }) => queue.lease.endpointId),
    counts: requests.map(({ count }) => count),
    // An array of arrays would need rows of the same length.
    started: requests.map(({ started }) => `{${started.join()}}`),
    omitted: requests.map(({ omitted }) => `{${omitted.join()}}`),
    max_bytes: maxReadBytes,
  })
}

const repairSql = `
  with recursive queued as (
    (select endpoint_id from webhook_deliveries where status = 'pending' order by endpoint_id limit 1)
    union all
    select next.endpoint_id from queued q cross join lateral (
      select w.endpoint_id from webhook_deliveries w
      where w.status = 'pending' and w.endpoint_id > q.endpoint_id order by w.endpoint_id limit 1) next)
  update webhook_lanes l set next_due_at = d.next_due_at
  from queued q cross join lateral (
    select min(w.next_attempt_at) as next_due_at from webhook_deliveries w where w.endpoint_id = q.endpoint_id and w.status = 'pending') d
  where l.endpoint_id = q.endpoint_id and l.owner is null and d.next_due_at < coalesce(l.next_due_at, 'infinity')
  returning l.endpoint_id`

/**
 * Safety net: repairs queues that should have been due earlier. It reads an index entry for each endpoint with a pending delivery, however many
 * endpoints have none. Returns 0 while the statements above are correct.
 */
export async function repairDueTimes({ systemSql }: JobContext): Promise<number> {
  return (await systemSql('lanes.repair', repairSql)).length
}
