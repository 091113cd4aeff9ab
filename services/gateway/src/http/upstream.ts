import { Pool, type Dispatcher } from 'undici'

/** HTTP client for the replicas of one service at their internal addresses. */
export interface Upstream {
  /**
   * Returns the response of a replica, in rotation; null if none responded. A request that may have reached a replica is repeated only if
   * it is a GET or HEAD.
   */
  request(request: UpstreamRequest): Promise<UpstreamResponse | null>
  /** Waits for the responses in progress. */
  close(): Promise<void>
}

export type UpstreamRequest = Dispatcher.RequestOptions
export type UpstreamResponse = Dispatcher.ResponseData

/** Error codes that guarantee that nothing was sent. */
const notConnected = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** Creates connection pools to these origins; without origins every request returns null. */
export function createUpstream(origins: readonly string[]): Upstream {
  const pools = origins.map(
    (origin) => new Pool(origin, { connections: 32, connectTimeout: 2_000, headersTimeout: 10_000, bodyTimeout: 30_000, allowH2: false }),
  )
  let next = 0
  return {
    async request(request) {
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
