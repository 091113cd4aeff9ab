import { job } from '@quittance/runtime/handler'
import { mendLanes } from './lane-queue.ts'

/** What is kept, in periods of that many days, how long, and by which time. The periods are those of the first migration of lanes. */
const tables = [
  { parent: 'webhook_deliveries', days: 30, kept: '90 days', column: 'occurred_at' },
  { parent: 'webhook_events', days: 30, kept: '90 days', column: 'occurred_at' },
  { parent: 'webhook_attempts', days: 7, kept: '30 days', column: 'created_at' },
]

const ensureSql = `select ensure_webhook_partitions(:parent, :days::int, now(), now() + 2 * :days::int * interval '1 day')`
const dropSql = `select drop_webhook_partitions(:parent, :days::int, :kept::interval, :column) as dropped`

/** Makes the partitions of the next periods and drops those of periods long past: nothing is deleted row by row. */
export const keepPartitions = job({
  name: 'keep-partitions',
  everyMs: 3_600_000,
  async run({ transaction, log }) {
    for (const { parent, days, kept, column } of tables) {
      const dropped = await transaction(null, async ({ rows }) => {
        await rows('partitions.ensure', ensureSql, { parent, days })
        const [row] = await rows<{ dropped: number }>('partitions.drop', dropSql, { parent, days, kept, column })
        return row?.dropped ?? 0
      })
      if (dropped > 0) log.info({ table: parent, dropped }, 'partitions.dropped')
    }
    return false
  },
})

/** Looks for lanes that were forgotten. */
export const mendForgottenLanes = job({
  name: 'mend-lanes',
  everyMs: 30_000,
  async run(context) {
    const mended = await mendLanes(context)
    if (mended > 0) context.log.warn({ mended }, 'lanes.mended')
    return false
  },
})
