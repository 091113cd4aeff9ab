import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** One request as the fake replica received it. */
export interface UpstreamCall {
  method: string
  url: string
  /** Every header with all its values. */
  headers: Record<string, string[] | undefined>
  body: Buffer
}

/** The HTTP side of one replica of a service. */
export interface FakeUpstream extends AsyncDisposable {
  received: UpstreamCall[]
  /** Sets the clock that `/livez` shows. */
  setClock(clock: () => Date): void
  answer(how: (received: UpstreamCall, response: ServerResponse) => void): void
}

/** Starts a fake replica; it responds 200 `{}` by default. */
export async function startFakeUpstream(port: number): Promise<FakeUpstream> {
  const received: UpstreamCall[] = []
  let how: (received: UpstreamCall, response: ServerResponse) => void = (_, response) =>
    response.setHeader('content-type', 'application/json').end('{}')
  let readClock = () => new Date()
  const server = createServer((request, response) => {
    // The gateway compares its clock beside the requests of clients.
    if (request.url === '/livez') response.setHeader('date', readClock().toUTCString()).end('{}')
    else void take(request, response)
  })

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headersDistinct, body: Buffer.concat(chunks) }
    received.push(one)
    how(one, response)
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    received,
    setClock: (clock) => void (readClock = clock),
    answer: (next) => void (how = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
