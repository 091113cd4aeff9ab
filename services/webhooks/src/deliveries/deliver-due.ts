import { job } from '@quittance/runtime/handler'
import type { Part, Surroundings } from '@quittance/runtime/service'
import { watchDeliveries } from './delivery-metrics.ts'
import { createDispatcher } from './dispatcher.ts'
import { watchFailing } from './watch-failing.ts'

/** Name of the job that is woken when something is due. */
export const deliverDue = 'deliver-due'

/** The dispatcher of this replica, with the job that drives it and the one that judges by what it has found. */
export async function openDispatcher({ database }: Surroundings): Promise<Part> {
  const dispatcher = createDispatcher()
  if (database) watchDeliveries(dispatcher, database)
  return {
    name: 'dispatcher',
    close: () => dispatcher.close(),
    // No wake-up tells that a retry is due.
    jobs: [job({ name: deliverDue, everyMs: 200, run: (context) => dispatcher.run(context) }), watchFailing()],
  }
}
