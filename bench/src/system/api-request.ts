import type { Quittance } from './quittance.ts'

export interface ApiReply {
  status: number
  body: Record<string, unknown> | null
}

/** Sends one request without a body, as the demo organization. */
export async function sendRequest({ origin, token }: Quittance, { method, path }: { method: string; path: string }): Promise<ApiReply> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${origin}${path}`, { method, headers, signal: AbortSignal.timeout(30_000) })
  const text = await response.text()
  return { status: response.status, body: text ? (JSON.parse(text) as ApiReply['body']) : null }
}
