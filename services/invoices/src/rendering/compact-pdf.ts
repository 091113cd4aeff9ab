import { Worker } from 'node:worker_threads'
import type { Logger } from '@quittance/runtime/log'
import type { DocumentFacts } from './compact-bytes.ts'
import type { CompactResult, CompactTask } from './compact-worker.ts'
import { withTimeLimit } from './time-limit.ts'

const deadlineMs = 20_000
/** Many times what 5,000 lines need. A thread that wants more ends alone, and the service goes on. */
const resourceLimits = { maxOldGenerationSizeMb: 1024 }

export interface Compaction extends DocumentFacts {
  log: Logger
}

interface Waiting {
  resolve(compact: Uint8Array): void
  reject(error: unknown): void
}

/** The thread and who waits for it. One is enough: it takes a fraction of the time of printing. */
let thread: { worker: Worker; waiting: Map<number, Waiting> } | null = null
let lastId = 0

/** A smaller PDF that says the same, made beside the event loop. If that fails, the PDF as it is: large is better than none. */
export async function compactPdf(pdf: Uint8Array, { log, ...facts }: Compaction): Promise<Uint8Array> {
  const { worker, waiting } = (thread ??= startThread())
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const task: CompactTask = { id: (lastId += 1), pdf: new Uint8Array(pdf), facts }
  waiting.set(task.id, { resolve, reject })
  try {
    worker.postMessage(task, [task.pdf.buffer as ArrayBuffer])
    return await withTimeLimit(promise, { ms: deadlineMs, error: () => new Error(`Compaction took longer than ${deadlineMs / 1000} s`) })
  } catch (error) {
    log.warn({ err: error, bytes: pdf.length }, 'rendering.compaction-failed')
    // A thread that hangs holds up all who wait; if it is well, ending it costs them their compaction only.
    if (waiting.has(task.id)) await worker.terminate()
    return pdf
  }
}

/** It keeps no process alive, and one that ends is replaced at the next use. */
function startThread(): NonNullable<typeof thread> {
  const worker = new Worker(new URL('./compact-worker.ts', import.meta.url), { resourceLimits })
  const waiting = new Map<number, Waiting>()
  const end = (error: unknown) => {
    if (thread?.worker === worker) thread = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  worker.on('error', end)
  worker.on('exit', () => end(new Error('The thread of compaction ended')))
  worker.on('message', (result: CompactResult) => {
    const one = waiting.get(result.id)
    waiting.delete(result.id)
    if ('compact' in result) one?.resolve(result.compact)
    else one?.reject(result.error)
  })
  // After the listeners: a new one would hold the process again.
  worker.unref()
  return { worker, waiting }
}
