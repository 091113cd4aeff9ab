import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

interface Window {
  origin: string
  seconds: number
  /** Requests in flight. */
  connections: number
}

/** Reads, at random; or writes, each under an idempotency key of its own. */
export interface Load extends Window {
  token: string
  paths: readonly string[]
  /** See `Contender`. */
  write?: string | null
  /** Requests per second whatever becomes of them; without it a fixed number is in flight. */
  perSecond?: number
}

/** Questions to a service without the gateway, at a fixed rate. */
export interface DirectLoad extends Window {
  natsUrl: string
  caller: string
  subject: string
  bodies: readonly string[]
  perSecond: number
}

/** Exchanges of refresh tokens, one after the other on every connection. */
export interface RefreshLoad extends Window {
  client: { client_id: string; client_secret: string }
  /** What the connections begin with, in the first load of an origin. */
  tokens: readonly string[]
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
export interface Loader<L extends Window> extends Disposable {
  /** One load at a time. */
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

/** A failed request costs another amount of work than an answered one: such a run says nothing. */
export function demandNoErrors({ name }: { name: string }, { errors, answered, firstError }: LoadResult): void {
  if (errors > 0) throw new Error(`The run is not valid: ${name} failed ${errors} of ${errors + answered} requests (${firstError}).`)
}
