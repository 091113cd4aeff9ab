import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PrintedDocument } from '../rendering/printed-document.ts'
import { withTimeLimit } from '../rendering/time-limit.ts'
import type { Answer, Task } from './converter-thread.ts'
import { NotElectronic, whyNotElectronic } from './why-not-electronic.ts'

/** The longest document, of 5000 lines, takes about 15 s, more on a busy machine. */
const usualDeadlineMs = 120_000
/** What a document may take of memory before its thread is given up, and not the service. */
const heapMb = 1024

/** A document could not be made electronic; the next one is tried in its own right. */
export class ConversionFailed extends Error {}

export interface Converter {
  /** The same as the function of that name. Throws `NotElectronic`, or `ConversionFailed`. */
  facturX(pdf: Uint8Array, document: PrintedDocument): Promise<Uint8Array>
  /** Ends the thread; what is being made fails. */
  close(): Promise<void>
}

/**
 * Makes documents electronic in a thread of its own, one after the other: a thousand lines are five seconds in which the service could
 * not renew a lease. The thread begins with the first document, for its library takes 60 MB, and stays.
 */
export function createConverter({ deadlineMs = usualDeadlineMs } = {}): Converter {
  let thread: Worker | null = null
  let isClosed = false
  let last: Promise<unknown> = Promise.resolve()

  const convert = async (task: Task): Promise<Uint8Array> => {
    if (isClosed) throw new ConversionFailed('The service stops')
    const used = (thread ??= begin(() => (thread = null)))
    const error = () => new ConversionFailed(`Conversion took longer than ${deadlineMs / 1000} s`)
    const answer = await withTimeLimit(answerOf(used, task), { ms: deadlineMs, error }).catch(async (reason: unknown) => {
      await used.terminate()
      throw reason
    })
    if ('reason' in answer) throw new ConversionFailed(answer.reason)
    return answer.content
  }

  return {
    async facturX(pdf, document) {
      const reasons = whyNotElectronic(document)
      if (reasons.length > 0) throw new NotElectronic(reasons)
      const turn = last.then(() => convert({ pdf, document }))
      last = turn.catch(() => {})
      return turn
    },
    async close() {
      isClosed = true
      await thread?.terminate()
    },
  }
}

function begin(onExit: () => void): Worker {
  const thread = new Worker(new URL('./converter-thread.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: heapMb } })
  // Whoever waits for it is told in `answerOf`; unheard, an error would end the process.
  thread.on('error', () => {})
  return thread.on('exit', onExit)
}

/** The thread keeps the process alive only while it works. */
async function answerOf(thread: Worker, task: Task): Promise<Answer> {
  const ended = new AbortController()
  const end = () => ended.abort()
  thread.once('exit', end)
  thread.ref()
  try {
    thread.postMessage(task, [])
    const [answer] = (await once(thread, 'message', { signal: ended.signal })) as [Answer]
    return answer
  } catch (cause) {
    throw new ConversionFailed('The thread of the conversion ended', { cause })
  } finally {
    thread.off('exit', end)
    thread.unref()
  }
}
