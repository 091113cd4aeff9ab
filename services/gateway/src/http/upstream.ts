import { Pool, type Dispatcher } from 'undici'

/** HTTP client for the replicas of one service at their internal addresses. */
export interface Upstream {
  /**
   * Returns the response of a replica, in rotation; null if none responded. A request that may have reached a replica is repeated only if
   * it is a GET or HEAD. The response is complete: a client that reads it slowly holds no connection to the replica.
   */
  request(request: UpstreamRequest): Promise<UpstreamResponse | null>
  /** Waits for the responses in progress. */
  close(): Promise<void>
}

export type UpstreamRequest = Dispatcher.RequestOptions

export interface UpstreamResponse extends Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> {
  /** Null if it is empty. */
  body: Buffer | null
}

/** Error codes that guarantee that nothing was sent. */
const notConnected = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/**
 * Connections to a replica. The requests in progress are limited before: a request that waits behind others would be delayed by those that the
 * replica answers slowly.
 */
const connections = 512
/** More than the longest document. */
const maxResponseSize = 64 * 1024 * 1024

/**
 * Creates connection pools to these origins; without origins every request returns null. A replica has `timeoutMs` for its whole response,
 * and for the time that the request waits for a connection.
 */
export function createUpstream(origins: readonly string[], timeoutMs: number): Upstream {
  const pools = origins.map((origin) => new Pool(origin, { connections, connectTimeout: 2_000, maxResponseSize, allowH2: false }))
  let next = 0
  return {
    async request(request) {
      const isRepeatable = request.method === 'GET' || request.method === 'HEAD'
      const first = next++
      for (let tried = 0; tried < pools.length; tried++) {
        const pool = pools[(first + tried) % pools.length] as Pool
        try {
          const { statusCode, headers, body } = await pool.request({ ...request, signal: AbortSignal.timeout(timeoutMs) })
          const bytes = Buffer.from(await body.arrayBuffer())
          return { statusCode, headers, body: bytes.length > 0 ? bytes : null }
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
