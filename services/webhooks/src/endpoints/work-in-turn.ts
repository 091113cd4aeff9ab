import type { JobContext } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'

interface TurnOptions<Item> {
  /** Returns open items without those that the run is done with. */
  list(done: readonly string[]): Promise<readonly Item[]>
  /** Does a bounded part of the work on an item. Returns whether more is left. */
  step(item: Item): Promise<boolean>
  /** Name of the log event of a failed step. */
  failed: string
}

/**
 * Works on open items in turn, one step each, until none has more work. An item whose step fails is logged and left to the next run of the
 * job, so that it does not keep the others from being served.
 */
export async function workInTurn<Item extends { id: string; endpoint_id: string }>(
  { log, isStopping }: JobContext,
  { list, step, failed }: TurnOptions<Item>,
): Promise<void> {
  const done = new Set<string>()
  for (;;) {
    const open = await list([...done])
    if (open.length === 0) return
    for (const item of open) {
      if (isStopping()) return
      const hasMore = await step(item).catch((error: unknown) => {
        log.error({ err: error, id: item.id, endpoint_id: item.endpoint_id }, failed)
        return false
      })
      if (!hasMore) done.add(item.id)
    }
  }
}

const indexOrderSql = `
  select set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true)`

/**
 * Makes PostgreSQL read a batch in the order of an index, and change its rows by their keys, in the rest of this transaction. Many deliveries
 * get a status at once, of which the statistics show none: it would read and sort all that are left for each batch.
 */
export async function readInIndexOrder(systemSql: SystemSql): Promise<void> {
  await systemSql('batches.read-in-index-order', indexOrderSql)
}
