import { setTimeout as delay } from 'node:timers/promises'

export interface ApiClient {
  /** Returns the body of the response; throws if the status is not the expected one. */
  send<Reply>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', request: { path: string; body?: unknown; expect: number }): Promise<Reply>
}

/** A service that has just started may not yet have what another one created. */
const patienceMs = 15_000

/** A client of the public API. */
export function apiClient({ origin, token }: { origin: string; token: string }): ApiClient {
  return {
    async send(method, { path, body, expect }) {
      const options = {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
      for (const start = Date.now(); ; await delay(100)) {
        const response = await fetch(`${origin}${path}`, { ...options, signal: AbortSignal.timeout(10_000) }).catch((error: Error) => {
          throw new Error(`${method} ${origin}${path} failed: ${(error.cause as Error | undefined)?.message || error.message}`, {
            cause: error,
          })
        })
        const text = await response.text()
        if (response.status === expect) return text ? JSON.parse(text) : null
        const mayPass = response.status === 503 && Date.now() - start < patienceMs
        if (!mayPass) throw new Error(`${method} ${path} returned ${response.status} instead of ${expect}: ${text.slice(0, 500)}`)
      }
    },
  }
}
