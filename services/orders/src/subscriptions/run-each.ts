import type { JobContext, Transaction } from '@quittance/runtime/handler'

interface ClaimedRow {
  id: string
  organization_id: string
}

/** A claimed row and what a job does with it. */
interface Task {
  row: ClaimedRow
  run(transaction: Transaction): Promise<void>
}

interface RunOptions {
  context: JobContext
  /** Log event of a failed task, and the field that has the id of its row. */
  failure: string
  idField: string
}

/**
 * Tasks at once: enough to use a core while others wait for the database, and few, because the requests of all organizations wait for those that
 * are ready to continue.
 */
const concurrency = 5

/** Runs each task in a transaction of the organization of its row. A failed one is logged; the first error is thrown when all have ended. */
export async function runEach(tasks: readonly Task[], { context, failure, idField }: RunOptions): Promise<void> {
  const failed: { row: ClaimedRow; error: unknown }[] = []
  const waiting = tasks.values()
  const runWaiting = async () => {
    for (const { row, run } of waiting) {
      await context.transaction(row.organization_id, run).catch((error: unknown) => failed.push({ row, error }))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, runWaiting))
  for (const { row, error } of failed) context.log.error({ err: error, [idField]: row.id }, failure)
  if (failed[0]) throw failed[0].error
}
