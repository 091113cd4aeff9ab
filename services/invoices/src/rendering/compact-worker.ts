/** The other end of `compactPdf`: a thread of its own, as a long document keeps it busy for a second. */
import { parentPort } from 'node:worker_threads'
import { compactBytes, type DocumentFacts } from './compact-bytes.ts'

export interface CompactTask {
  id: number
  pdf: Uint8Array
  facts: DocumentFacts
}

export type CompactResult = { id: number; compact: Uint8Array } | { id: number; error: unknown }

parentPort?.on('message', ({ id, pdf, facts }: CompactTask) => {
  compactBytes(pdf, facts).then(
    (compact) => parentPort?.postMessage({ id, compact } satisfies CompactResult, [compact.buffer as ArrayBuffer]),
    (error: unknown) => parentPort?.postMessage({ id, error } satisfies CompactResult, []),
  )
})
