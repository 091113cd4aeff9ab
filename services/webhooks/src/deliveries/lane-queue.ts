/**
 * Lanes and what is due on them, as rows. A lane is leased to one replica; its epoch grows with every taking, and results are kept
 * only under the epoch they were begun in.
 */
import type { JobContext, Rows } from '@quittance/runtime/handler'
import type { Due, Lane, TakenLane } from './lane.ts'

// While a lane is held it is due again when its lease ends; an event that comes in makes it due at once, and its holder looks again.
const takeSql = `
  with proven as (
    select endpoint_id from webhook_lanes
    where is_proven and ready_at <= now() and (leased_until is null or leased_until < now() or owner = :owner)
    order by ready_at limit :most_proven for update skip locked),
  unproven as (
    select endpoint_id from webhook_lanes
    where not is_proven and ready_at <= now() and (leased_until is null or leased_until < now() or owner = :owner)
    order by ready_at limit :most_unproven for update skip locked)
  update webhook_lanes l set
    epoch = case when owner = :owner and leased_until > now() then epoch else epoch + 1 end, owner = :owner,
    leased_until = case when owner = :owner and leased_until > now() then leased_until else now() + :lease_ms * interval '1 millisecond' end,
    next_due_at = case when owner = :owner and leased_until > now() then leased_until else now() + :lease_ms * interval '1 millisecond' end,
    paused_until = null
  where endpoint_id in (select endpoint_id from proven union all select endpoint_id from unproven)
  returning endpoint_id, epoch, is_proven, trips`

export interface Room {
  owner: string
  proven: number
  unproven: number
}

/** Takes lanes with something due, and names those of its own where something has come in. */
export function takeLanes({ rows, leaseMs }: JobContext, { owner, proven, unproven }: Room): Promise<TakenLane[]> {
  return rows<TakenLane>('lanes.take', takeSql, { owner, most_proven: proven, most_unproven: unproven, lease_ms: leaseMs })
}

const renewSql = `
  update webhook_lanes l set leased_until = now() + :lease_ms * interval '1 millisecond',
    next_due_at = case when l.next_due_at <= now() then l.next_due_at else now() + :lease_ms * interval '1 millisecond' end
  from unnest(:endpoint_ids::uuid[], :epochs::bigint[]) as held (endpoint_id, epoch)
  where l.endpoint_id = held.endpoint_id and l.epoch = held.epoch
  returning l.endpoint_id`

/** The lanes that are still held, for a lease more. */
export async function renewLanes({ rows, leaseMs }: JobContext, lanes: readonly Lane[]): Promise<Set<string>> {
  const held = await rows<{ endpoint_id: string }>('lanes.renew', renewSql, { ...asArrays(lanes), lease_ms: leaseMs })
  return new Set(held.map(({ endpoint_id }) => endpoint_id))
}

const lockSql = `
  select l.endpoint_id from webhook_lanes l
  join unnest(:endpoint_ids::uuid[], :epochs::bigint[]) as held (endpoint_id, epoch) on l.endpoint_id = held.endpoint_id and l.epoch = held.epoch
  order by l.endpoint_id for update of l`

const handBackSql = `
  update webhook_lanes l set owner = null, leased_until = null, next_due_at = (
    select min(d.next_attempt_at) from webhook_deliveries d where d.endpoint_id = l.endpoint_id and d.status = 'pending')
  where l.endpoint_id = any (:endpoint_ids)`

/**
 * Gives lanes back. Locked in one statement and written in the next: an event that came in while the first waited for its lock is
 * seen by the second alone.
 */
export async function handBackLanes(rows: Rows, lanes: readonly Lane[]): Promise<void> {
  const locked = await rows<{ endpoint_id: string }>('lanes.lock', lockSql, asArrays(lanes))
  await rows('lanes.hand-back', handBackSql, { endpoint_ids: locked.map(({ endpoint_id }) => endpoint_id) })
}

function asArrays(lanes: readonly Lane[]) {
  return { endpoint_ids: lanes.map(({ endpointId }) => endpointId), epochs: lanes.map(({ epoch }) => epoch) }
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
  order by d.next_attempt_at, d.position`

/** What is due on these lanes, first what has been due for longest; what is under way is among it. */
export function readDue({ rows }: JobContext, asked: readonly { lane: Lane; count: number }[]): Promise<Due[]> {
  return rows<Due>('deliveries.due', dueSql, {
    endpoint_ids: asked.map(({ lane }) => lane.endpointId),
    counts: asked.map(({ count }) => count),
  })
}

const mendSql = `
  update webhook_lanes l set next_due_at = d.next_due_at
  from webhook_lanes known cross join lateral (
    select min(w.next_attempt_at) as next_due_at from webhook_deliveries w where w.endpoint_id = known.endpoint_id and w.status = 'pending') d
  where l.endpoint_id = known.endpoint_id and l.owner is null and d.next_due_at < coalesce(l.next_due_at, 'infinity')
  returning l.endpoint_id`

/** A net under the rules above: lanes that should have been due earlier. None, as long as the rules hold. */
export async function mendLanes({ rows }: JobContext): Promise<number> {
  return (await rows('lanes.mend', mendSql)).length
}
