import { job } from '@quittance/runtime/handler'
import { createResealJob } from '@quittance/runtime/reseal-secrets'
import { config } from '../config.ts'
import { repairDueTimes } from './queue-store.ts'

/** Partitioned tables: partition length in days, retention and time column. The lengths are those of migration `deliver-by-lanes`. */
const tables = [
  { parent: 'webhook_deliveries', days: 30, kept: '90 days', column: 'occurred_at' },
  { parent: 'webhook_events', days: 30, kept: '90 days', column: 'occurred_at' },
  { parent: 'webhook_attempts', days: 7, kept: '30 days', column: 'created_at' },
]

const ensureSql = `select ensure_webhook_partitions(:parent, :days::int, now(), now() + 2 * :days::int * interval '1 day')`
const dropSql = `select drop_webhook_partitions(:parent, :days::int, :kept::interval, :column) as dropped`

/** Creates the next partitions and drops expired ones; no rows are deleted one by one. */
export const maintainPartitions = job({
  name: 'keep-partitions',
  everyMs: 3_600_000,
  async run({ systemTransaction, log }) {
    for (const { parent, days, kept, column } of tables) {
      const dropped = await systemTransaction(async ({ systemSql }) => {
        await systemSql('partitions.ensure', ensureSql, { parent, days })
        const [row] = await systemSql<{ dropped: number }>('partitions.drop', dropSql, { parent, days, kept, column })
        return row?.dropped ?? 0
      })
      if (dropped > 0) log.info({ table: parent, dropped }, 'partitions.dropped')
    }
    return false
  },
})

/** Repairs endpoint queues with a wrong due time. */
export const repairQueues = job({
  name: 'repair-queues',
  everyMs: 30_000,
  async run(context) {
    const repaired = await repairDueTimes(context)
    if (repaired > 0) context.log.warn({ repaired }, 'queues.repaired')
    return false
  },
})

const sealedEndpoint = {
  table: 'webhook_endpoints',
  key: ['id', 'uuid'],
  contextOn: 'organization_id',
  context: (organizationId: string) => organizationId,
} as const

/** Seals the secrets of endpoints again after a change of SECRETS_KEY, also those that were replaced. */
export const resealSecrets = createResealJob({
  getKeys: () => config().SECRETS_KEY,
  columns: [
    { ...sealedEndpoint, column: 'sealed_secret', type: 'text' },
    { ...sealedEndpoint, column: 'sealed_previous', type: 'jsonb', where: `sealed_previous <> '[]'` },
  ],
})
