import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Requests at a fixed rate, whatever becomes of them; every tenth writes. */
export interface SteadyLoad {
  /** Public addresses of the replicas among which they are balanced. */
  origins: readonly string[]
  token: string
  orderId: string
  perSecond: number
}

/** What came of every request that was due. */
export interface Outcome {
  asked: number
  /** Addresses of the customers that were created. */
  written: string[]
  /** How many requests failed, by what became of them. */
  failures: Record<string, number>
}

/** A load under way, in a process of its own: it comes when it is due, however busy the test is. */
export interface RunningLoad extends Disposable {
  /** Ends it, waits for the last answer. */
  stop(): Promise<Outcome>
}

/** Resolves with the first request. */
export async function startSteadyLoad(load: SteadyLoad): Promise<RunningLoad> {
  const child = fork(join(import.meta.dirname, 'steady-loader.ts'), { execArgv: [] })
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The loader ended with code ${code}.`)))
  ended.catch(() => {})
  const said = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  child.send(load)
  await said()
  return {
    stop() {
      child.send('stop')
      return said()
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
