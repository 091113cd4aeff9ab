import { fetch, type Dispatcher } from 'undici'
import type { Quittance } from './quittance.ts'

export interface ApiReply {
  status: number
  body: Record<string, unknown> | null
}

export interface ApiRequest {
  method: string
  path: string
  /** A client with a separate address: the gateway allows each address a hundred requests per second. */
  dispatcher?: Dispatcher
}

/** Sends one request without a body, as the demo organization. */
export async function sendRequest({ origin, token }: Quittance, { method, path, ...client }: ApiRequest): Promise<ApiReply> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${origin}${path}`, { method, headers, signal: AbortSignal.timeout(30_000), ...client })
  const text = await response.text()
  return { status: response.status, body: text ? (JSON.parse(text) as ApiReply['body']) : null }
}
