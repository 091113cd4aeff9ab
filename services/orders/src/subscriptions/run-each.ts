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
 * Runs each task in a transaction of the organization of its row, all at once. A failed one is logged; the first error is thrown when all have
 * ended.
 */
export async function runEach(tasks: readonly Task[], { context, failure, idField }: RunOptions): Promise<void> {
  const results = await Promise.allSettled(tasks.map(({ row, run }) => context.transaction(row.organization_id, run)))
  const failed = results.flatMap((result, i) => (result.status === 'rejected' ? [{ row: tasks[i]?.row, error: result.reason }] : []))
  for (const { row, error } of failed) context.log.error({ err: error, [idField]: row?.id }, failure)
  if (failed[0]) throw failed[0].error
}
