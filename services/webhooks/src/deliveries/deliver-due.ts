import { job } from '@quittance/runtime/handler'
import type { Part, Surroundings } from '@quittance/runtime/service'
import { watchDeliveries } from './delivery-metrics.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { watchFailing } from './watch-failing.ts'

/** Name of the job that is woken when something is due. */
export const deliverDue = 'deliver-due'

/** No wake-up tells that a retry is due, nor that a lane of its own may read on. */
const restMs = (dispatcher: Dispatcher) => (dispatcher.lanes().size > 0 ? 200 : 1_000)

/** The dispatcher of this replica, with the job that drives it and the one that judges by what it has found. */
export async function openDispatcher({ database }: Surroundings): Promise<Part> {
  const dispatcher = createDispatcher()
  if (database) watchDeliveries(dispatcher, database)
  return {
    name: 'dispatcher',
    close: () => dispatcher.close(),
    jobs: [job({ name: deliverDue, everyMs: () => restMs(dispatcher), run: (context) => dispatcher.run(context) }), watchFailing()],
  }
}
