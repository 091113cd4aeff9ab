import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Requests at a fixed rate, independent of their results; every tenth one writes. */
export interface SteadyLoad {
  /** Public addresses of the replicas over which the requests are balanced. */
  origins: readonly string[]
  token: string
  orderId: string
  perSecond: number
}

/** Results of all requests. */
export interface Outcome {
  requestCount: number
  /** E-mail addresses of the created customers. */
  createdEmails: string[]
  /** Number of failed requests by error. */
  failures: Record<string, number>
}

/** A running load. It runs in a separate process, so that a busy test does not delay its requests. */
export interface RunningLoad extends Disposable {
  /** Stops the load and waits for the last response. */
  stop(): Promise<Outcome>
}

/** Starts the load; resolves with the first request. */
export async function startSteadyLoad(load: SteadyLoad): Promise<RunningLoad> {
  const child = fork(join(import.meta.dirname, 'steady-loader.ts'), { execArgv: [] })
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The loader ended with code ${code}.`)))
  ended.catch(() => {})
  const receiveMessage = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  child.send(load)
  await receiveMessage()
  return {
    stop() {
      child.send('stop')
      return receiveMessage()
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
