import { Pool, type Dispatcher } from 'undici'

/** HTTP to the replicas of one service, on their internal addresses. */
export interface Upstream {
  /**
   * The answer of one replica, in turn; null when none gave one. A request that may have reached a replica is repeated only
   * when it is a GET or HEAD.
   */
  ask(request: UpstreamRequest): Promise<UpstreamAnswer | null>
  /** Waits for the answers that are under way. */
  close(): Promise<void>
}

export type UpstreamRequest = Dispatcher.RequestOptions
export type UpstreamAnswer = Dispatcher.ResponseData

/** Nothing of the request was sent. */
const notConnected = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** Connections to these origins; without any, nobody is there. */
export function createUpstream(origins: readonly string[]): Upstream {
  const pools = origins.map(
    (origin) => new Pool(origin, { connections: 32, connectTimeout: 2_000, headersTimeout: 10_000, bodyTimeout: 30_000, allowH2: false }),
  )
  let next = 0
  return {
    async ask(request) {
      const isRepeatable = request.method === 'GET' || request.method === 'HEAD'
      for (let tried = 0; tried < pools.length; tried++) {
        const pool = pools[next++ % pools.length] as Pool
        try {
          return await pool.request(request)
        } catch (error) {
          if (!isRepeatable && !notConnected.has((error as { code?: string }).code ?? '')) return null
        }
      }
      return null
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}
