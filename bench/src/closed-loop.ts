import type { LoadResult } from './load.ts'
import { startTally } from './tally.ts'

interface Loop {
  seconds: number
  /** Requests in flight. */
  connections: number
  /** Asks once; gives the size of the answer, throws when it is not the expected one. */
  ask(worker: number): Promise<number>
}

const mostRequests = 5_000_000

/** Each worker asks again as soon as it was answered, until the time is over. */
export async function closedLoop({ seconds, connections, ask }: Loop): Promise<LoadResult> {
  const tally = startTally()
  const isOver = () => performance.now() - tally.started > seconds * 1000 || tally.answered() >= mostRequests

  async function work(worker: number): Promise<void> {
    while (!isOver()) await tally.time(performance.now(), () => ask(worker))
  }

  await Promise.all(Array.from({ length: connections }, (_, worker) => work(worker)))
  return tally.result()
}
