import { parentPort } from 'node:worker_threads'
import type { PrintedDocument } from '../rendering/printed-document.ts'
import { facturX } from './factur-x.ts'

export interface Task {
  pdf: Uint8Array
  document: PrintedDocument
}

export type Answer = { content: Uint8Array } | { reason: string }

/** Runs in a thread; see `converter.ts`. */
parentPort?.on('message', ({ pdf, document }: Task) => {
  facturX(pdf, document).then(
    (content) => parentPort?.postMessage({ content } satisfies Answer, [content.buffer as ArrayBuffer]),
    (error: unknown) => parentPort?.postMessage({ reason: String(error) } satisfies Answer, []),
  )
})
