import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '@quittance/contracts/return-url'

/**
 * Whether a form was sent by a page of this origin. Browsers state it in `Sec-Fetch-Site`, which no page can set; Safari before 16.4 and pages
 * without TLS only send `Origin`, unless the policy of the page is `no-referrer`. A request with neither is rejected.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const { 'sec-fetch-site': site, origin: sender } = headers
  return site === undefined ? sender === origin : site === 'same-origin'
}

/** Whether browsers state `Sec-Fetch-Site` to an origin: with TLS, and to this machine. */
export function statesSite(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || isLoopback(hostname)
}
