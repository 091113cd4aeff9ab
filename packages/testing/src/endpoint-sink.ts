import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received POST. */
export interface ReceivedRequest {
  headers: IncomingHttpHeaders
  /** The unparsed body. */
  body: string
  at: number
  /** Status of the response; null before it is sent. */
  answered: number | null
}

/** Response of the sink to a POST. */
export interface SinkResponse {
  status: number
  headers?: Record<string, string>
  body?: string
  /** Delays the response until it settles. */
  after?: Promise<unknown>
}

/** An HTTP server that acts as a customer's webhook endpoint. */
export interface EndpointSink extends AsyncDisposable {
  url: string
  received: ReceivedRequest[]
  /** Sets the function that determines the response to each POST; default 200. */
  respondWith(decide: (received: ReceivedRequest, count: number) => SinkResponse): void
}

/** `host` is the address under which a system elsewhere reaches this machine; containers cannot reach its loopback address. */
export async function startEndpointSink(port = 0, host = process.env['E2E_OWN_ADDRESS'] ?? '127.0.0.1'): Promise<EndpointSink> {
  const received: ReceivedRequest[] = []
  let decide: (post: ReceivedRequest, count: number) => SinkResponse = () => ({ status: 200 })
  const server = createServer((request, response) => void handleRequest(request, response))

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const post: ReceivedRequest = { headers: request.headers, body: Buffer.concat(chunks).toString(), at: Date.now(), answered: null }
    received.push(post)
    const { status, headers, body, after } = decide(post, received.length)
    await after
    post.answered = status
    response.writeHead(status, headers).end(body)
  }

  await new Promise<void>((resolve) => server.listen(port, host === '127.0.0.1' ? host : '0.0.0.0', resolve))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/hook`,
    received,
    respondWith: (next) => void (decide = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
