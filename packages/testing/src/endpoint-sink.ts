import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One POST as it arrived. */
export interface Received {
  headers: IncomingHttpHeaders
  /** The untouched body. */
  body: string
  at: number
  /** Status of the answer; null while there is none. */
  answered: number | null
}

/** How the sink answers the next POST. */
export interface SinkAnswer {
  status: number
  headers?: Record<string, string>
  body?: string
  /** Answers when this settles. */
  after?: Promise<unknown>
}

/** An HTTP server that plays a customer's webhook endpoint. */
export interface EndpointSink extends AsyncDisposable {
  url: string
  received: Received[]
  /** Decides the answer to each POST; 200 unless told. */
  answer(decide: (received: Received, count: number) => SinkAnswer): void
}

/** `host` is the address a system elsewhere reaches this machine by; containers do not know loopback. */
export async function startEndpointSink(port = 0, host = process.env['E2E_OWN_ADDRESS'] ?? '127.0.0.1'): Promise<EndpointSink> {
  const received: Received[] = []
  let decide: (post: Received, count: number) => SinkAnswer = () => ({ status: 200 })
  const server = createServer((request, response) => void take(request, response))

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const post: Received = { headers: request.headers, body: Buffer.concat(chunks).toString(), at: Date.now(), answered: null }
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
    answer: (next) => void (decide = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
