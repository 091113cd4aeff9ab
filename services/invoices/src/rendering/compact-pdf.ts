import type { Logger } from '@quittance/runtime/log'
import { createDocumentThread } from '../threads/document-thread.ts'
import type { DocumentFacts } from './compact-bytes.ts'
import type { CompactionTask } from './compact-thread.ts'

/** One is enough: it takes a fraction of the time of printing. */
const thread = createDocumentThread<CompactionTask>({
  module: new URL('./compact-thread.ts', import.meta.url),
  name: 'compaction',
  deadlineMs: 20_000,
  failure: (message, options) => new Error(message, options),
})

export interface Compaction extends DocumentFacts {
  log: Logger
}

/** A smaller PDF that says the same, made beside the event loop. If that fails, the PDF as it is: large is better than none. */
export async function compactPdf(pdf: Uint8Array, { log, ...facts }: Compaction): Promise<Uint8Array> {
  try {
    return await thread.run({ pdf, facts })
  } catch (error) {
    log.warn({ err: error, bytes: pdf.length }, 'rendering.compaction-failed')
    return pdf
  }
}
