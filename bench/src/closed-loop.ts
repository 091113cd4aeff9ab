import type { LoadResult } from './load.ts'
import { startCounter } from './result-counter.ts'

interface Loop {
  seconds: number
  /** Requests in flight. */
  connections: number
  /** Sends one request; returns the size of the reply, throws on an unexpected one. */
  sendRequest(worker: number): Promise<number>
}

const maxRequests = 5_000_000

/** Runs a closed loop: each worker sends its next request as soon as it has the reply, until the time is over. */
export async function closedLoop({ seconds, connections, sendRequest }: Loop): Promise<LoadResult> {
  const counter = startCounter()
  const isOver = () => performance.now() - counter.started > seconds * 1000 || counter.answered() >= maxRequests

  async function work(worker: number): Promise<void> {
    while (!isOver()) await counter.time(performance.now(), () => sendRequest(worker))
  }

  await Promise.all(Array.from({ length: connections }, (_, worker) => work(worker)))
  return counter.result()
}
