import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Load {
  origin: string
  token: string
  paths: readonly string[]
  seconds: number
  /** Requests in flight. */
  connections: number
}

export interface LoadResult {
  answered: number
  errors: number
  firstError: string | null
  /** From the first request to the last answer. */
  seconds: number
  p50Ms: number
  p99Ms: number
  meanBytes: number
}

/** A process of its own, so that its work is counted to nobody. */
export interface Loader extends Disposable {
  /** One load at a time. */
  run(load: Load): Promise<LoadResult>
}

export function startLoader(): Loader {
  const child = fork(join(import.meta.dirname, 'loader.ts'))
  return {
    async run(load) {
      child.send(load)
      const deadline = AbortSignal.timeout(load.seconds * 1000 + 60_000)
      const [result] = await once(child, 'message', { signal: deadline })
      return result
    },
    [Symbol.dispose]: () => child.disconnect(),
  }
}
