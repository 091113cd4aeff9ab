import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

interface Window {
  origin: string
  seconds: number
  /** Requests in flight. */
  connections: number
}

/** Reads chosen at random, or writes, each with a unique idempotency key. */
export interface Load extends Window {
  token: string
  paths: readonly string[]
  /** See `Contender`. */
  write?: string | null
  /** Further headers of reads. */
  headers?: Readonly<Record<string, string>>
  /** Requests per second, regardless of earlier ones; without it a fixed number is in flight. */
  perSecond?: number
}

/** Requests to a service without the gateway, at a fixed rate. */
export interface DirectLoad extends Window {
  natsUrl: string
  caller: string
  subject: string
  bodies: readonly string[]
  perSecond: number
}

/** Exchanges of refresh tokens, sequential on every connection. */
export interface RefreshLoad extends Window {
  client: { client_id: string; client_secret: string }
  /** Tokens that the connections start with, in the first load of an origin. */
  tokens: readonly string[]
}

export interface LoadResult {
  answered: number
  errors: number
  firstError: string | null
  /** From the first request to the last reply. */
  seconds: number
  p50Ms: number
  p99Ms: number
  meanBytes: number
}

/** A separate process, so that its CPU time is not attributed to any contender. */
export interface Loader<L extends Window> extends Disposable {
  /** Runs a load; one at a time. */
  run(load: L): Promise<LoadResult>
}

export const startLoader = () => start<Load>('loader.ts')
export const startDirectLoader = () => start<DirectLoad>('direct-loader.ts')
export const startRefreshLoader = () => start<RefreshLoad>('refresh-loader.ts')

function start<L extends Window>(file: string): Loader<L> {
  const child = fork(join(import.meta.dirname, file))
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

/** Throws if any request failed: a failed request costs a different amount of work than a successful one, so such a run proves nothing. */
export function assertNoErrors({ name }: { name: string }, { errors, answered, firstError }: LoadResult): void {
  if (errors > 0) throw new Error(`The run is not valid: ${name} failed ${errors} of ${errors + answered} requests (${firstError}).`)
}
