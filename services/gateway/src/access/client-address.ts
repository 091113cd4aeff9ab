import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Address that the request is counted and logged under: the client, or the visitor on whose behalf a page server calls. */
    clientIp: string
  }
}

/** Header with which a page server proves that it may name its visitor in `X-Forwarded-For`. */
const keyHeader = 'x-pages-key'

/** Adds `clientIp` to every request, before any other hook. Without a key, page servers are counted like every other client. */
export function addClientAddress(app: FastifyInstance, pagesKey: string | undefined): void {
  const expected = pagesKey ? digest(pagesKey) : null
  app.decorateRequest('clientIp', '')
  app.addHook('onRequest', async (request) => {
    request.clientIp = (expected && readVisitor(request, expected)) ?? withoutPort(request.ip)
  })
}

/** Returns the address of the visitor if the request has the key of the page servers. */
function readVisitor({ headers }: FastifyRequest, expected: Buffer): string | null {
  const { [keyHeader]: key, 'x-forwarded-for': visitor } = headers
  if (typeof key !== 'string' || typeof visitor !== 'string' || isIP(visitor) === 0) return null
  return timingSafeEqual(digest(key), expected) ? visitor : null
}

/** Removes a port, which some proxies add to the addresses in `X-Forwarded-For`: each connection would count as another client. */
function withoutPort(address: string): string {
  const [, inBrackets, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  const host = inBrackets ?? plain ?? ''
  return isIP(host) === 0 ? address : host
}

/** Digests have one length, which the comparison needs. */
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
