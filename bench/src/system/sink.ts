import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The servers of customers, in a separate process. */
export interface Sink {
  process: ChildProcess
  origin: string
  /** Number of POSTs that arrived. */
  count(): Promise<number>
  /** Milliseconds from the commit of an event to its arrival, of those since the last call, at the path `/timed…`. */
  latencies(): Promise<number[]>
}

export async function startSink(): Promise<Sink> {
  const child = fork(join(import.meta.dirname, '../peers/deliveries/sink.ts'))
  const receive = async () => (await once(child, 'message'))[0]
  const port = (await receive()) as number
  const query = async (question: string) => {
    child.send(question)
    return receive()
  }
  return {
    process: child,
    origin: `http://127.0.0.1:${port}`,
    count: () => query('count') as Promise<number>,
    latencies: () => query('latencies') as Promise<number[]>,
  }
}
