import { job, type Rows } from '@quittance/runtime/handler'

interface Recovery {
  id: string
  endpoint_id: string
  since: string
  until: string
  reached: string
  is_possible: boolean
}

const batch = 500

const openSql = `
  select r.id, r.endpoint_id, r.since::text, r.until::text, r.reached, e.disabled_at is null and e.deleted_at is null as is_possible
  from webhook_recoveries r join webhook_endpoints e on e.id = r.endpoint_id
  where r.ended_at is null order by r.created_at limit 1 for update of r skip locked`

// Both in the order in which events came in: within a batch by position, and one batch is due before the next.
const againSql = `
  with missed as (
    select event_id, endpoint_id, occurred_at, position from webhook_deliveries
    where endpoint_id = :endpoint_id and status in ('held', 'failed') and position > :reached and occurred_at >= :since and occurred_at < :until
    order by position limit :batch),
  lane as materialized (select endpoint_id from webhook_lanes where endpoint_id = :endpoint_id for update),
  again as (
    update webhook_deliveries d set status = 'pending', round = d.round + 1, attempts = 0, next_attempt_at = now(), modified_at = now()
    from missed m, lane
    where d.event_id = m.event_id and d.endpoint_id = m.endpoint_id and d.occurred_at = m.occurred_at
    returning d.position),
  due as (update webhook_lanes l set next_due_at = now() from lane where l.endpoint_id = lane.endpoint_id and exists (select from again))
  select count(*)::int as count, max(position) as reached from again`

const noteSql = `
  update webhook_recoveries set reached = coalesce(:reached, reached), ended_at = case when :has_ended then now() end where id = :id`

/** Makes due again what an endpoint has missed; one batch of one recovery in each transaction. */
export const recoverMissed = job({
  name: 'recover-missed',
  everyMs: 5_000,
  run: (context) =>
    context.transaction(null, async ({ rows, wake }) => {
      const [recovery] = await rows<Recovery>('recoveries.open', openSql)
      if (!recovery) return false
      const { count, reached } = recovery.is_possible ? await again(rows, recovery) : { count: 0, reached: null }
      await rows('recoveries.note', noteSql, { id: recovery.id, reached, has_ended: count < batch })
      if (count > 0) wake('deliver-due')
      return true
    }),
})

async function again(rows: Rows, { endpoint_id, since, until, reached }: Recovery): Promise<{ count: number; reached: string | null }> {
  const [row] = await rows<{ count: number; reached: string | null }>('recoveries.again', againSql, {
    endpoint_id,
    since,
    until,
    reached,
    batch,
  })
  return row ?? { count: 0, reached: null }
}
