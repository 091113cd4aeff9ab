import { createThreadPool } from '../threads/worker-thread.ts'
import type { ConversionTask } from './converter-thread.ts'
import { ElectronicInvoiceError, findElectronicBlockers } from './electronic-blockers.ts'

/** The longest document (5,000 lines) takes about 15 s, more on a busy machine. */
const defaultDeadlineMs = 120_000

/** A document could not be converted. The next document is not affected. */
export class ConversionError extends Error {}

export interface Converter {
  /** Same as the function `facturX`, for a document of this organization. Throws `ElectronicInvoiceError` or `ConversionError`. */
  facturX(owner: string, task: ConversionTask): Promise<Uint8Array>
  /** Stops the threads. Conversions in progress and later ones fail, until `open`. */
  close(): Promise<void>
  open(): void
}

/**
 * Creates a converter that runs in dedicated threads: 1,000 lines take five seconds, during which the service could not renew a lease. The
 * library needs 60 MB in each.
 */
export function createConverter({ deadlineMs = defaultDeadlineMs } = {}): Converter {
  const threads = createThreadPool<ConversionTask>({
    module: new URL('./converter-thread.ts', import.meta.url),
    name: 'conversion',
    deadlineMs,
    failure: (message, options) => new ConversionError(message, options),
  })
  return {
    async facturX(owner, task) {
      const reasons = findElectronicBlockers(task.document)
      if (reasons.length > 0) throw new ElectronicInvoiceError(reasons)
      return threads.run(owner, task)
    },
    close: () => threads.close(),
    open: () => threads.open(),
  }
}
