/**
 * Process: a bare page server. It calls the API as the storefront does, parses the reply, and sends a page that was rendered before, with the
 * same compression. What it lacks is what the storefront adds: rendering, headers, its log and its context.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { fastify } from 'fastify'
import { Client } from 'undici'
import type { PageOrder, PageReady } from './start.ts'

const compress = promisify(brotliCompress) as (text: string, options: object) => Promise<Buffer>
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

async function serve({ apiOrigin, page }: PageOrder): Promise<PageReady> {
  const app = fastify()
  // The API counts by address: one client for each of the visitors.
  const clients = new Map<string, Client>()
  const findClient = (localAddress: string) => {
    const known = clients.get(localAddress) ?? new Client(apiOrigin, { localAddress })
    clients.set(localAddress, known)
    return known
  }
  app.get<{ Params: { secret: string } }>('/checkout/:secret', async (request, reply) => {
    const path = `/v1/checkouts/client/${request.params.secret}`
    const { statusCode, body } = await findClient(request.ip).request({ method: 'GET', path, headers: { accept: 'application/json' } })
    const checkout = JSON.parse(await body.text()) as { status?: string }
    if (statusCode !== 200 || checkout.status !== 'open') return reply.code(500).send()
    reply.headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-encoding': 'br' })
    return reply.send(await compress(page, brotli))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { port: (app.server.address() as { port: number }).port }
}

process.once('message', (order: PageOrder) => {
  void serve(order).then((ready) => process.send?.(ready))
})
process.once('disconnect', () => process.exit())
