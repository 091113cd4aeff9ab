import type { IncomingMessage } from 'node:http'
import { BadRequest } from '@quittance/contracts/errors'
import type { FastifyInstance } from 'fastify'

const malformedPath = '/malformed-url'

/** RFC 9112 §3.2.2. */
const absoluteForm = /^https?:\/\/[^/?#]+([/?][^#]*)?$/i

/**
 * Returns the URL to route a request by: the router answers a URL that it cannot parse or decode without any hook, so that it would count for no
 * rate limit and appear in no log.
 */
export function selectRoutedUrl({ url = '/' }: IncomingMessage): string {
  if (/^https?:/i.test(url) && !(absoluteForm.test(url) && URL.canParse(url))) return malformedPath
  if (!url.includes('%')) return url
  try {
    decodeURIComponent(url.split(/[?#]/, 1)[0] as string)
    return url
  } catch {
    return malformedPath
  }
}

/** Adds the route of requests with a malformed URL. */
export function addMalformedUrlRoute(app: FastifyInstance): void {
  const reject = async () => {
    throw new BadRequest('The URL is malformed.')
  }
  app.all(malformedPath, { onRequest: reject }, reject)
}

/** Throws if a request has several `Host` lines (RFC 9112 §3.2): proxies could read another one than the gateway. */
export function assertOneHost({ rawHeaders }: IncomingMessage): void {
  let lines = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') lines += 1
  }
  if (lines > 1) throw new BadRequest('The request has more than one Host header.')
}
