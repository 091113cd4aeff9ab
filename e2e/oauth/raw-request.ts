import { request } from 'node:http'

interface RawRequest {
  method?: string
  headers?: Record<string, string | string[]>
  /** Sent as it is. */
  body?: string | Uint8Array
}

/** An answer, read to its end. */
export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** One request over a connection of its own, for what no client would send: headers, bytes and paths as they are given. */
export function rawRequest(url: string, { method = 'GET', headers = {}, body }: RawRequest = {}): Promise<RawAnswer> {
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
