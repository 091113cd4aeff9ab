import type { JobContext } from '@quittance/runtime/handler'

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
