import { job } from '@quittance/runtime/handler'
import { config } from '../config.ts'

const ensure = `select ensure_usage_partitions(now(), now() + interval '2 months') as created`

/** Creates the partitions of this month and the next two. */
export const createPartitions = job({
  name: 'create-partitions',
  everyMs: 3_600_000,
  async run({ systemTransaction, log }) {
    const [row] = await systemTransaction(({ systemSql }) => systemSql<{ created: number }>('partitions.ensure', ensure))
    if (row && row.created > 0) log.info({ created: row.created }, 'partitions.created')
    return false
  },
})

/** Rows of one statement. */
const batch = 1_000

const removeKeys = `
  delete from event_keys where ctid = any (array(
    select ctid from event_keys where received_at < now() - :days * interval '1 day' limit ${batch} for update skip locked)) returning 1`

/** Removes the external ids of events after `DEDUPLICATION_DAYS`. */
export const removeOldKeys = job({
  name: 'remove-old-keys',
  everyMs: 60_000,
  async run({ systemSql }) {
    return (await systemSql('keys.remove-old', removeKeys, { days: config().DEDUPLICATION_DAYS })).length === batch
  },
})
