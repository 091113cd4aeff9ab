import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { withTimeLimit } from '../rendering/time-limit.ts'
import type { Answer } from './answer-tasks.ts'

/** What a document may take of memory before its thread is given up, and not the service. Its thousands of small objects die young. */
const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 }

export interface ThreadOptions {
  /** Module of the thread: it calls `answerTasks`. */
  module: URL
  /** What it does, as errors tell it. */
  name: string
  /** Of one task, once it is its turn. */
  deadlineMs: number
  /** What a task that comes to nothing throws. */
  failure: (message: string, options?: ErrorOptions) => Error
}

export interface DocumentThread<Task> {
  run(task: Task): Promise<Uint8Array>
  /** Ends the thread; what is being made fails. */
  close(): Promise<void>
}

/**
 * Makes documents in a thread of its own, one after the other, so that a long one does not hold up the service. The thread begins with
 * the first task and stays; one that ends is replaced at the next, and one that takes too long is ended.
 */
export function createDocumentThread<Task>({ module, name, deadlineMs, failure }: ThreadOptions): DocumentThread<Task> {
  let thread: Worker | null = null
  let isClosed = false
  let last: Promise<unknown> = Promise.resolve()

  const work = async (task: Task): Promise<Uint8Array> => {
    if (isClosed) throw failure('The service stops')
    const used = (thread ??= begin(module, () => (thread = null)))
    const error = () => failure(`${name[0]?.toUpperCase()}${name.slice(1)} took longer than ${deadlineMs / 1000} s`)
    const answer = await withTimeLimit(answerOf(used, task), { ms: deadlineMs, error }).catch(async (reason: unknown) => {
      await used.terminate()
      throw reason
    })
    if ('reason' in answer) throw failure(answer.reason)
    return answer.content
  }

  /** The thread keeps the process alive only while it works. */
  async function answerOf(used: Worker, task: Task): Promise<Answer> {
    const ended = new AbortController()
    const end = () => ended.abort()
    used.once('exit', end)
    used.ref()
    try {
      used.postMessage(task, [])
      const [answer] = (await once(used, 'message', { signal: ended.signal })) as [Answer]
      return answer
    } catch (cause) {
      throw failure(`The thread of the ${name} ended`, { cause })
    } finally {
      used.off('exit', end)
      used.unref()
    }
  }

  return {
    run(task) {
      const turn = last.then(() => work(task))
      last = turn.catch(() => {})
      return turn
    },
    async close() {
      isClosed = true
      await thread?.terminate()
    },
  }
}

function begin(module: URL, onExit: () => void): Worker {
  const thread = new Worker(module, { resourceLimits })
  // Whoever waits for it is told in `answerOf`; unheard, an error would end the process.
  thread.on('error', () => {})
  return thread.on('exit', onExit)
}
