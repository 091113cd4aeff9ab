import { parentPort } from 'node:worker_threads'

export type Answer = { content: Uint8Array } | { reason: string }

/** The other end of a `DocumentThread`: does what it is told, and answers each task once. */
export function answerTasks<Task>(work: (task: Task) => Promise<Uint8Array>): void {
  parentPort?.on('message', (task: Task) => {
    work(task).then(
      (content) => parentPort?.postMessage({ content } satisfies Answer, [content.buffer as ArrayBuffer]),
      (error: unknown) => parentPort?.postMessage({ reason: String(error) } satisfies Answer, []),
    )
  })
}
