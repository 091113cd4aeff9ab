import type { SqlRunner } from '@quittance/sql/sql-runner'

/** A delivery to create. */
export interface NewDelivery {
  endpointId: string
  /** Body sent instead of the event's payload; null for the payload. */
  body: string | null
  isHeld: boolean
  isTest: boolean
}

/** An event with its deliveries. */
export interface NewEvent {
  id: string
  organizationId: string
  type: string
  aggregateId: string
  occurredAt: Date
  payload: string
  /** Trace context of the consumer span, or of the request for an example. */
  traceparent: string
  deliveries: readonly NewDelivery[]
}

// A conflict is a redelivered event whose inbox row has expired: its deliveries exist. All queues are locked in one order, so a concurrent
// lease release waits and sees the new deliveries. An example is the seller's probe of the endpoint: it ends the pause of the circuit breaker.
const storeSql = `
  with event as (
    insert into webhook_events (id, organization_id, type, aggregate_id, occurred_at, payload, traceparent)
    select * from unnest(:ids::uuid[], :organization_ids::uuid[], :types::text[], :aggregate_ids::uuid[], :occurred_ats::timestamptz[], :payloads::text[],
      :traceparents::text[]) as e (id, organization_id, type, aggregate_id, occurred_at, payload, traceparent)
    where e.organization_id = any (:scope_organizations::uuid[])
    on conflict (id, occurred_at) do nothing
    returning id, type, aggregate_id, occurred_at),
  wanted as (
    select * from unnest(:event_ids::uuid[], :endpoint_ids::uuid[], :bodies::text[], :held::boolean[], :tests::boolean[])
      with ordinality as w (event_id, endpoint_id, body, is_held, is_test, ordinal)),
  lane as materialized (
    select endpoint_id from webhook_lanes where endpoint_id = any (:endpoint_ids::uuid[]) order by endpoint_id for update),
  delivery as (
    insert into webhook_deliveries (event_id, endpoint_id, occurred_at, aggregate_id, event_type, body, is_test, status, next_attempt_at)
    select event.id, w.endpoint_id, event.occurred_at, event.aggregate_id, event.type, w.body, w.is_test,
      case when w.is_held then 'held' else 'pending' end, case when not w.is_held then now() end
    from wanted w join event on event.id = w.event_id join lane using (endpoint_id)
    order by w.ordinal
    returning endpoint_id, status, is_test)
  update webhook_lanes l set next_due_at = least(l.next_due_at, now()), paused_until = case when not d.is_probe then l.paused_until end
  from (select endpoint_id, bool_or(is_test) as is_probe from delivery where status = 'pending' group by endpoint_id) d
  where l.endpoint_id = d.endpoint_id
  returning l.endpoint_id`

/**
 * Stores events and their deliveries in the given order. Returns true if a delivery is due now. With system access the caller gives the
 * organizations of the scope.
 */
export async function storeEvents(
  sql: SqlRunner,
  events: readonly NewEvent[],
  scope: { scope_organizations?: readonly string[] } = {},
): Promise<boolean> {
  if (events.length === 0) return false
  const deliveries = events.flatMap(({ id, deliveries }) => deliveries.map((delivery) => ({ eventId: id, ...delivery })))
  const due = await sql('events.store', storeSql, {
    ...scope,
    ids: events.map(({ id }) => id),
    organization_ids: events.map(({ organizationId }) => organizationId),
    types: events.map(({ type }) => type),
    aggregate_ids: events.map(({ aggregateId }) => aggregateId),
    occurred_ats: events.map(({ occurredAt }) => occurredAt.toISOString()),
    payloads: events.map(({ payload }) => payload),
    traceparents: events.map(({ traceparent }) => traceparent),
    event_ids: deliveries.map(({ eventId }) => eventId),
    endpoint_ids: deliveries.map(({ endpointId }) => endpointId),
    bodies: deliveries.map(({ body }) => body),
    held: deliveries.map(({ isHeld }) => isHeld),
    tests: deliveries.map(({ isTest }) => isTest),
  })
  return due.length > 0
}
