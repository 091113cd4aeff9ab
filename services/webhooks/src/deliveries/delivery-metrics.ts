import { countOf, gaugeOf, histogramOf } from '@quittance/runtime/health'
import type { Database } from '@quittance/runtime/database'
import { statement } from '@quittance/runtime/statement'
import type { Outcome } from './attempt.ts'
import type { Slots } from './slots.ts'

const attempts = countOf('webhook_attempts_total', 'Attempts by what came of them and why they failed.', ['result', 'reason'])
const latency = histogramOf('webhook_attempt_seconds', 'What attempts took, answer included.', {
  labels: ['result'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
})

/** Lanes whose lease ran out or was taken over. */
export const lanesLost = countOf('webhook_lanes_lost_total', 'Lanes whose lease ran out before it was renewed.')

/** Counts an attempt. */
export function countAttempt({ outcome, status }: { outcome: Outcome; status: string }): void {
  const result = outcome.reason === null ? 'succeeded' : status === 'pending' ? 'retried' : 'failed'
  attempts.inc({ result, reason: outcome.reason ?? '' })
  latency.observe({ result }, outcome.durationMs / 1000)
}

const oldestDue = statement(
  'deliveries.oldest-due',
  `select case when is_proven then 'proven' else 'unproven' end as pool,
    coalesce(extract(epoch from now() - min(d.next_attempt_at)), 0)::float as seconds
  from webhook_lanes l cross join lateral (
    select min(w.next_attempt_at) as next_attempt_at from webhook_deliveries w where w.endpoint_id = l.endpoint_id and w.status = 'pending') d
  where l.next_due_at is not null and (l.paused_until is null or l.paused_until <= now()) and d.next_attempt_at <= now()
  group by is_proven`,
)
const openBreakers = statement('lanes.open-breakers', `select count(*)::int as open from webhook_lanes where paused_until > now()`)

interface Watched {
  lanes(): ReadonlyMap<string, unknown>
  slots: Slots
}

/** Gauges of the running dispatcher; the oldest due delivery is what to page on. */
export function watchDeliveries(dispatcher: Watched, { execute }: Database): void {
  gaugeOf('oldest_due_delivery_seconds', 'Age of the oldest delivery that is due and not under a pause, by pool.', {
    labels: ['pool'],
    async collect(gauge) {
      const rows = await execute(oldestDue, [])
      for (const pool of ['proven', 'unproven']) gauge.set({ pool }, Number(rows.find((row) => row['pool'] === pool)?.['seconds'] ?? 0))
    },
  })
  gaugeOf('webhook_breakers_open', 'Endpoints where nothing is tried for a while.', {
    async collect(gauge) {
      const [row] = await execute(openBreakers, [])
      gauge.set(Number(row?.['open'] ?? 0))
    },
  })
  gaugeOf('webhook_slots_used', 'POSTs under way at this replica, by pool.', {
    labels: ['pool'],
    collect(gauge) {
      for (const [pool, used] of Object.entries(dispatcher.slots.used())) gauge.set({ pool }, used)
    },
  })
  gaugeOf('webhook_lanes_held', 'Lanes this replica holds.', { collect: (gauge) => gauge.set(dispatcher.lanes().size) })
}
