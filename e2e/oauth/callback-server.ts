import { createServer } from 'node:http'
import { freePorts } from '@quittance/testing/engines/free-ports'

/** An application opened in the browser: a server that receives the callbacks. */
export interface CallbackServer extends AsyncDisposable {
  redirectUri: string
  /** A callback that redirects on to `redirectUri` at another origin. */
  forwardingUri: string
  /** Parameters of the callbacks, in order. */
  received: Record<string, string>[]
}

export async function startCallbackServer(): Promise<CallbackServer> {
  const [port = 0] = await freePorts(1)
  const origin = `http://127.0.0.1:${port}`
  const received: Record<string, string>[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', origin)
    if (url.pathname === '/forward') {
      response.writeHead(302, { location: `http://localhost:${port}/callback${url.search}` }).end()
      return
    }
    if (url.pathname === '/callback') received.push(Object.fromEntries(url.searchParams))
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Back</title><p>You are back.')
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    redirectUri: `${origin}/callback`,
    forwardingUri: `${origin}/forward`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
