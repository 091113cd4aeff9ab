import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createResourcePool } from './resource-pool.ts'
import { withTimeLimit } from './time-limit.ts'
import type { TaskHandler } from './serve-tasks.ts'

/** Memory limit of a task: beyond it the thread ends, not the service. Its thousands of small objects are short-lived. */
const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 }

/** Two, so that a long task of one owner does not delay those of another. */
const threadCount = 2

export interface ThreadPoolOptions {
  /** Module of the threads. It calls `serveTasks`. */
  module: URL
  /** Name of the task for error messages. */
  name: string
  /** Timeout of one task, from its start. */
  deadlineMs: number
  /** Creates the error of a failed task. */
  failure: (message: string, options?: ErrorOptions) => Error
}

export interface ThreadPool<Task> {
  /** Runs a task in a thread. An owner, an organization, has one at a time; further tasks wait. */
  run(owner: string, task: Task): Promise<Uint8Array>
  /** Stops the threads. Tasks in progress and later ones fail, until `open`. */
  close(): Promise<void>
  open(): void
}

interface Slot {
  thread: Worker | null
}

/**
 * Runs tasks in dedicated threads, so that a long one does not block the event loop. A thread starts with its first task and is reused. A
 * thread that ends is replaced at the next task; one that exceeds the timeout is terminated.
 */
export function createThreadPool<Task>({ module, name, deadlineMs, failure }: ThreadPoolOptions): ThreadPool<Task> {
  const slots: Slot[] = Array.from({ length: threadCount }, () => ({ thread: null }))
  const pool = createResourcePool(slots, { share: 1 })
  let isClosed = false

  const work = async (slot: Slot, task: Task): Promise<Uint8Array> => {
    if (isClosed) throw failure('The service is stopping')
    const worker = (slot.thread ??= startThread(module, () => (slot.thread = null)))
    const error = () => failure(`${name[0]?.toUpperCase()}${name.slice(1)} took longer than ${deadlineMs / 1000} s`)
    const result = await withTimeLimit(awaitResult(worker, task), { ms: deadlineMs, error }).catch(async (reason: unknown) => {
      await worker.terminate()
      throw reason
    })
    if ('reason' in result) throw failure(result.reason)
    return result.content
  }

  /** The thread keeps the process alive only while it works. */
  async function awaitResult(worker: Worker, task: Task): Promise<TaskHandler> {
    const ended = new AbortController()
    const end = () => ended.abort()
    worker.once('exit', end)
    worker.ref()
    try {
      worker.postMessage(task, [])
      const [result] = (await once(worker, 'message', { signal: ended.signal })) as [TaskHandler]
      return result
    } catch (cause) {
      throw failure(`The ${name} thread ended`, { cause })
    } finally {
      worker.off('exit', end)
      worker.unref()
    }
  }

  return {
    run: (owner, task) => pool.use(owner, (slot) => work(slot, task)),
    async close() {
      isClosed = true
      await Promise.all(slots.map(async ({ thread }) => thread?.terminate()))
    },
    open: () => void (isClosed = false),
  }
}

function startThread(module: URL, onExit: () => void): Worker {
  const thread = new Worker(module, { resourceLimits })
  // `awaitResult` reports the error to the caller. Without a listener, the error would end the process.
  thread.on('error', () => {})
  return thread.on('exit', onExit)
}
