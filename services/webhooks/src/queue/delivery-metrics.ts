import { counter, gauge, histogram } from '@quittance/runtime/metrics'
import type { Database } from '@quittance/runtime/database'
import { createSystemSql } from '@quittance/sql/sql-runner'
import type { AttemptOutcome } from '../http/post-webhook.ts'
import type { ConcurrencyPools } from '../policy/concurrency-pools.ts'

const attempts = counter('webhook_attempts_total', 'Number of delivery attempts by result and failure reason.', ['result', 'reason'])
const latency = histogram('webhook_attempt_seconds', 'Duration of delivery attempts in seconds, response included, by result.', {
  labels: ['result'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
})

/** Endpoint queues whose lease expired or was taken over. */
export const leasesLost = counter('webhook_lanes_lost_total', 'Number of endpoint queue leases that expired before they were renewed.')

/** Counts an attempt. */
export function countAttempt({ outcome, status }: { outcome: AttemptOutcome; status: string }): void {
  const result = outcome.reason === null ? 'succeeded' : status === 'pending' ? 'retried' : 'failed'
  attempts.inc({ result, reason: outcome.reason ?? '' })
  latency.observe({ result }, outcome.durationMs / 1000)
}

const oldestDue = `
  select case when is_proven then 'proven' else 'unproven' end as pool,
    coalesce(extract(epoch from now() - min(d.next_attempt_at)), 0)::float as seconds
  from webhook_lanes l cross join lateral (
    select min(w.next_attempt_at) as next_attempt_at from webhook_deliveries w where w.endpoint_id = l.endpoint_id and w.status = 'pending') d
  where l.next_due_at is not null and (l.paused_until is null or l.paused_until <= now()) and d.next_attempt_at <= now()
    and not exists (select from webhook_backlogs b where b.endpoint_id = l.endpoint_id)
  group by is_proven`

const openBreakers = `select count(*)::int as open from webhook_lanes where paused_until > now()`

interface DispatcherState {
  queues: ReadonlyMap<string, unknown>
  pools: Pick<ConcurrencyPools<never>, 'used'>
}

/** Registers gauges of the running dispatcher. Page on `oldest_due_delivery_seconds`. */
export function registerDeliveryGauges(dispatcher: DispatcherState, database: Database): void {
  const systemSql = createSystemSql(database, 'gauges over the deliveries of all endpoints')
  gauge('oldest_due_delivery_seconds', 'Age in seconds of the oldest due delivery of endpoints without an open circuit breaker, by pool.', {
    labels: ['pool'],
    async collect(gauge) {
      const pools = await systemSql<{ pool: string; seconds: number }>('deliveries.oldest-due', oldestDue)
      for (const pool of ['proven', 'unproven']) gauge.set({ pool }, pools.find((each) => each.pool === pool)?.seconds ?? 0)
    },
  })
  gauge('webhook_breakers_open', 'Number of endpoints with an open circuit breaker.', {
    async collect(gauge) {
      const [row] = await systemSql<{ open: number }>('lanes.open-breakers', openBreakers)
      gauge.set(row?.open ?? 0)
    },
  })
  gauge('webhook_slots_used', 'Number of POSTs in progress at this replica, by pool.', {
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, used] of Object.entries(dispatcher.pools.used())) gauge.set({ pool }, used)
    },
  })
  gauge('webhook_lanes_held', 'Number of endpoint queues leased by this replica.', {
    collect: (gauge) => gauge.set(dispatcher.queues.size),
  })
}
