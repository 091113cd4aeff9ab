import { request } from 'node:http'

interface RawRequest {
  method?: string
  headers?: Record<string, string | string[]>
  /** Sent unchanged. */
  body?: string | Uint8Array
}

/** A complete response. */
export interface RawResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Sends one request over a new connection with headers, bytes and a path that no HTTP client would send, unchanged. */
export function rawRequest(url: string, { method = 'GET', headers = {}, body }: RawRequest = {}): Promise<RawResponse> {
  const { hostname, port, origin } = new URL(url)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: url.slice(origin.length), headers, agent: false, family: 4 }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks).toString() }),
      )
      incoming.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
