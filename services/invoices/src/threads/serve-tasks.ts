import { parentPort } from 'node:worker_threads'

export type TaskHandler = { content: Uint8Array } | { reason: string }

/** Worker side of a `ThreadPool`: runs each task and posts one result per task. */
export function serveTasks<Task>(work: (task: Task) => Promise<Uint8Array>): void {
  parentPort?.on('message', (task: Task) => {
    work(task).then(
      (content) => parentPort?.postMessage({ content } satisfies TaskHandler, [content.buffer as ArrayBuffer]),
      (error: unknown) => parentPort?.postMessage({ reason: String(error) } satisfies TaskHandler, []),
    )
  })
}
