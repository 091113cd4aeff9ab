import type { Logger } from '@quittance/runtime/logger'
import { createThreadPool } from '../threads/worker-thread.ts'
import type { PdfMetadata } from './compact-bytes.ts'
import type { CompactionTask } from './compact-thread.ts'

const threads = createThreadPool<CompactionTask>({
  module: new URL('./compact-thread.ts', import.meta.url),
  name: 'compaction',
  deadlineMs: 20_000,
  failure: (message, options) => new Error(message, options),
})

export interface Compaction extends PdfMetadata {
  /** Organization that issues the document. */
  owner: string
  log: Logger
}

/**
 * Returns a smaller PDF with the same content, computed in a worker thread. If that fails, returns the PDF unchanged: a large document is
 * better than none.
 */
export async function compactPdf(pdf: Uint8Array, { owner, log, ...facts }: Compaction): Promise<Uint8Array> {
  try {
    return await threads.run(owner, { pdf, facts })
  } catch (error) {
    log.warn({ err: error, bytes: pdf.length }, 'rendering.compaction-failed')
    return pdf
  }
}
