import type { JobContext } from '@quittance/runtime/handler'
import { deliveryKey, type AttemptRecord, type DueDelivery } from './endpoint-queue.ts'

/**
 * Results of queues that this replica still owns, each under the epoch in which it was started: a replica that has lost a lease and has it
 * again may store results of both. Locks the queues in the order of their ids, like every other statement. The time of an attempt is that of
 * the database less the age of the result, so that the clocks of replicas do not matter.
 */
const leased = `
  given as materialized (
    select * from unnest(:endpoint_ids::uuid[], :epochs::bigint[], :event_ids::uuid[], :occurred_ats::timestamptz[], :organization_ids::uuid[],
      :event_types::text[], :rounds::int[], :numbers::int[], :statuses::text[], :waits_ms::bigint[], :tried::boolean[], :http_codes::int[],
      :reasons::text[], :excerpts::text[], :durations_ms::int[], :ages_us::bigint[], :pauses_ms::bigint[], :proven::boolean[], :trips::int[],
      :failures::int[], :failed_events::text[])
    as g (endpoint_id, epoch, event_id, occurred_at, organization_id, event_type, round, number, status, wait_ms, tried, http_code, reason, excerpt,
      duration_ms, age_us, pause_ms, is_proven, trips, failures, failed_events)),
  held as materialized (
    select l.endpoint_id, l.epoch from webhook_lanes l
    where exists (select from given g where g.endpoint_id = l.endpoint_id and g.epoch = l.epoch) order by l.endpoint_id for update),
  kept as materialized (
    select g.*, now() - g.age_us * interval '1 microsecond' as ended_at from given g join held using (endpoint_id, epoch))`

/**
 * Next state of the deliveries. A concurrent redelivery has started a new round: the attempt is stored and the new round stays unchanged.
 * `is not distinct from` has PostgreSQL read all partitions: choosing them while it locks rows crashes PostgreSQL 18 (`npm run check:statements`).
 */
const deliveries = `
  done as (
    update webhook_deliveries d set modified_at = now(), last_http_code = coalesce(k.http_code, d.last_http_code),
      attempts = case when d.round = k.round then k.number else d.attempts end,
      status = case when d.round = k.round then k.status else d.status end,
      next_attempt_at = case when d.round = k.round then now() + k.wait_ms * interval '1 millisecond' else d.next_attempt_at end
    from kept k
    where d.event_id = k.event_id and d.endpoint_id = k.endpoint_id and d.occurred_at is not distinct from k.occurred_at
    returning d.endpoint_id, d.next_attempt_at)`

/**
 * State of the queues: next due time, circuit breaker, health and the time of the last success. `least` also corrects a time in the future,
 * which a replica of an earlier release may have stored.
 */
const endpointState = `
  learned as (
    select endpoint_id, max(trips) filter (where is_last) as trips, max(failures) filter (where is_last) as failures,
      max(failed_events) filter (where is_last) as failed_events, bool_or(is_proven) filter (where is_last) as is_proven,
      bool_or(reason is null) filter (where is_last) as succeeds, max(ended_at) filter (where reason is null) as succeeded_at,
      min(ended_at) filter (where reason is not null) as failed_at, max(pause_ms) as pause_ms
    from (select k.*, age_us = min(age_us) over (partition by endpoint_id) as is_last from kept k where tried) t group by endpoint_id),
  lanes as (
    update webhook_lanes l set
      next_due_at = least(l.next_due_at, n.next_attempt_at), is_proven = coalesce(t.is_proven, l.is_proven), trips = coalesce(t.trips, l.trips),
      failures = coalesce(t.failures, l.failures), failed_events = coalesce(t.failed_events::uuid[], l.failed_events),
      paused_until = coalesce(now() + t.pause_ms * interval '1 millisecond', l.paused_until),
      last_success_at = coalesce(t.succeeded_at, l.last_success_at),
      failing_since = case when t.succeeds is null then l.failing_since when t.succeeds then null
        else least(case when t.succeeded_at is null then l.failing_since end, t.failed_at) end,
      warned_at = case when t.succeeded_at is null then l.warned_at end
    from (select endpoint_id, min(next_attempt_at) as next_attempt_at from done group by endpoint_id) n left join learned t using (endpoint_id)
    where l.endpoint_id = n.endpoint_id)`

/** The attempts, for users to read. */
const attempts = `
  insert into webhook_attempts (created_at, organization_id, endpoint_id, event_id, occurred_at, event_type, round, number, http_code, succeeded,
    reason, response_excerpt, duration_ms)
  select ended_at, organization_id, endpoint_id, event_id, occurred_at, event_type, round, number, http_code, reason is null,
    reason, excerpt, duration_ms
  from kept where tried
  returning event_id, endpoint_id`

const completeSql = `with ${leased}, ${deliveries}, ${endpointState} ${attempts}`

/**
 * Stores attempts and their consequences in one statement. Returns the keys of the stored ones: results of a lost lease are discarded,
 * because the new owner's attempt counts.
 */
export async function recordAttempts({ systemSql }: JobContext, batch: readonly AttemptRecord[]): Promise<Set<string>> {
  const column = <T>(select: (record: AttemptRecord) => T) => batch.map(select)
  const nowUs = Math.floor(performance.now() * 1000)
  const breakers = column(({ queue }) => queue.breaker.state)
  const recorded = await systemSql<Pick<DueDelivery, 'event_id' | 'endpoint_id'>>('deliveries.complete', completeSql, {
    endpoint_ids: column(({ due }) => due.endpoint_id),
    epochs: column(({ queue }) => queue.lease.epoch),
    event_ids: column(({ due }) => due.event_id),
    occurred_ats: column(({ due }) => due.occurred_at),
    organization_ids: column(({ due }) => due.organization_id),
    event_types: column(({ due }) => due.event_type),
    rounds: column(({ due }) => due.round),
    numbers: column(({ due, outcome }) => due.attempts + (outcome ? 1 : 0)),
    statuses: column(({ status }) => status),
    waits_ms: column(({ waitMs }) => waitMs),
    tried: column(({ outcome }) => outcome !== null),
    http_codes: column(({ outcome }) => outcome?.status ?? null),
    reasons: column(({ outcome }) => outcome?.reason ?? null),
    excerpts: column(({ outcome }) => outcome?.excerpt ?? null),
    durations_ms: column(({ outcome }) => outcome?.durationMs ?? null),
    ages_us: column(({ endedAtUs }) => nowUs - endedAtUs),
    pauses_ms: column(({ pauseMs }) => pauseMs),
    proven: column(({ queue }) => queue.health.isHealthy),
    trips: breakers.map(({ openCount }) => openCount),
    failures: breakers.map(({ failures }) => failures),
    // An array of arrays would need rows of the same length.
    failed_events: breakers.map(({ failedEvents }) => `{${failedEvents.join()}}`),
  })
  return new Set(recorded.map(deliveryKey))
}
