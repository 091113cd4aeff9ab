import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** One request as the played replica got it. */
export interface Received {
  method: string
  url: string
  /** Every field with all its values. */
  headers: Record<string, string[] | undefined>
  body: Buffer
}

/** The HTTP side of one replica of a service. */
export interface PlayedHttp extends AsyncDisposable {
  received: Received[]
  answer(how: (received: Received, response: ServerResponse) => void): void
}

/** Listens like a replica; answers 200 `{}` unless told. */
export async function playHttp(port: number): Promise<PlayedHttp> {
  const received: Received[] = []
  let how: (received: Received, response: ServerResponse) => void = (_, response) =>
    response.setHeader('content-type', 'application/json').end('{}')
  const server = createServer((request, response) => void take(request, response))

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
    answer: (next) => void (how = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
