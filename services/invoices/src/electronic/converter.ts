import type { PrintedDocument } from '../rendering/printed-document.ts'
import { createDocumentThread } from '../threads/document-thread.ts'
import type { ConversionTask } from './converter-thread.ts'
import { NotElectronic, whyNotElectronic } from './why-not-electronic.ts'

/** The longest document, of 5000 lines, takes about 15 s, more on a busy machine. */
const usualDeadlineMs = 120_000

/** A document could not be made electronic; the next one is tried in its own right. */
export class ConversionFailed extends Error {}

export interface Converter {
  /** The same as the function of that name. Throws `NotElectronic`, or `ConversionFailed`. */
  facturX(pdf: Uint8Array, document: PrintedDocument): Promise<Uint8Array>
  /** Ends the thread; what is being made fails. */
  close(): Promise<void>
}

/**
 * Makes documents electronic in a thread of its own: a thousand lines are five seconds in which the service could not renew a lease. The
 * library takes 60 MB there.
 */
export function createConverter({ deadlineMs = usualDeadlineMs } = {}): Converter {
  const thread = createDocumentThread<ConversionTask>({
    module: new URL('./converter-thread.ts', import.meta.url),
    name: 'conversion',
    deadlineMs,
    failure: (message, options) => new ConversionFailed(message, options),
  })
  return {
    async facturX(pdf, document) {
      const reasons = whyNotElectronic(document)
      if (reasons.length > 0) throw new NotElectronic(reasons)
      return thread.run({ pdf, document })
    },
    close: () => thread.close(),
  }
}
