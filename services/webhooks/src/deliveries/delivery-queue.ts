/**
 * The deliveries that wait, as rows. Per endpoint and aggregate one is in flight at most, and those that are due go in the
 * order in which their events came; one that waits for its retry holds up no other.
 */
import type { JobContext } from '@quittance/runtime/handler'
import type { Outcome } from './attempt.ts'
import type { Verdict } from './verdict.ts'

/** A delivery in the hands of this replica, until its lease runs out. */
export interface Claimed {
  id: string
  lease: string
  round: number
  attempts: number
  event_id: string
  event_type: string
  payload: string
  endpoint_id: string
  organization_id: string
  url: string
  /** Of a deleted endpoint there is none; it is not wanted either. */
  sealed_secret: string
  /** False once the endpoint is deleted or has unselected the type. */
  is_wanted: boolean
}

// A row whose lease ran out may always be taken again: it alone can free its aggregate.
const claimSql = `
  with due as materialized (
    select c.id from webhook_deliveries c
    where c.status = 'pending' and c.next_attempt_at <= now() and (c.leased_until is null or c.leased_until < now())
      and (c.lease is not null or not exists (
        select from webhook_deliveries s
        where s.endpoint_id = c.endpoint_id and s.aggregate_id = c.aggregate_id and s.status = 'pending' and s.id <> c.id
          and (s.lease is not null or (s.position < c.position and s.next_attempt_at <= now()))))
    order by c.next_attempt_at, c.position limit :limit
    for update skip locked)
  update webhook_deliveries d set lease = gen_random_uuid(), leased_until = now() + :lease_ms * interval '1 millisecond'
  from due, webhook_events ev, webhook_endpoints e
  where d.id = due.id and ev.id = d.event_id and e.id = d.endpoint_id
  returning d.id, d.lease, d.round, d.attempts, d.event_id, d.event_type, ev.payload, d.endpoint_id, e.organization_id, e.url,
    e.sealed_secret, e.deleted_at is null and d.event_type = any (e.events) as is_wanted`

/** Another replica took one of the same aggregate at the same instant (23505), or both waited for each other (40P01). */
const contended = new Set(['23505', '40P01'])

/** Takes up to `limit` deliveries that are due; null when another replica came in between and it is worth trying again. */
export async function claimDue({ rows, leaseMs }: JobContext, limit: number): Promise<Claimed[] | null> {
  try {
    return await rows<Claimed>('deliveries.claim', claimSql, { limit, lease_ms: leaseMs })
  } catch (error) {
    if (contended.has((error as { code?: string }).code ?? '')) return null
    throw error
  }
}

const renewSql = `
  update webhook_deliveries set leased_until = now() + :lease_ms * interval '1 millisecond' where id = :id and lease = :lease`

export async function renewLease({ rows, leaseMs }: JobContext, { id, lease }: Claimed): Promise<void> {
  await rows('deliveries.renew', renewSql, { id, lease, lease_ms: leaseMs })
}

/** What came of a claimed delivery. */
export interface Result {
  claimed: Claimed
  outcome: Outcome
  verdict: Verdict
}

// A redelivery asked for meanwhile has begun a new round: the attempt is kept, and the round stays as it was asked for.
const recordSql = `
  with held as (
    update webhook_deliveries set lease = null, leased_until = null, modified_at = now(),
      last_http_code = coalesce(:http_code::int, last_http_code),
      attempts = case when round = :round then :number::int else attempts end,
      status = case when round = :round then :status else status end,
      next_attempt_at = case when round = :round then now() + :wait_ms::bigint * interval '1 millisecond' else next_attempt_at end
    where id = :id and lease = :lease
    returning id)
  insert into webhook_attempts
    (organization_id, endpoint_id, delivery_id, round, number, http_code, succeeded, reason, response_excerpt, duration_ms)
  select :organization_id, :endpoint_id, held.id, :round, :number, :http_code, :reason::text is null, :reason, :excerpt, :duration_ms
  from held
  returning id`

/** Keeps the attempt and what follows from it. False when the lease was lost: then another attempt counts, and this one does not. */
export async function recordAttempt({ rows }: JobContext, { claimed, outcome, verdict }: Result): Promise<boolean> {
  const { id, lease, round, organization_id, endpoint_id } = claimed
  const { status: http_code, reason, excerpt, durationMs: duration_ms } = outcome
  const number = claimed.attempts + 1
  const result = { number, http_code, reason, excerpt, duration_ms, status: verdict.status, wait_ms: verdict.waitMs }
  return (await rows('deliveries.record', recordSql, { id, lease, round, organization_id, endpoint_id, ...result })).length > 0
}

const cancelSql = `
  update webhook_deliveries set status = 'cancelled', next_attempt_at = null, lease = null, leased_until = null, modified_at = now()
  where id = :id and lease = :lease`

/** Nobody wants it any more. */
export async function cancel({ rows }: JobContext, { id, lease }: Claimed): Promise<void> {
  await rows('deliveries.cancel', cancelSql, { id, lease })
}

const handBackSql = `
  update webhook_deliveries set lease = null, leased_until = null, next_attempt_at = now() + :wait_ms * interval '1 millisecond'
  where id = :id and lease = :lease`

/** After a fault of ours: later again, and no try is used up. */
export async function handBack({ rows }: JobContext, { id, lease, waitMs }: Claimed & { waitMs: number }): Promise<void> {
  await rows('deliveries.hand-back', handBackSql, { id, lease, wait_ms: waitMs })
}
