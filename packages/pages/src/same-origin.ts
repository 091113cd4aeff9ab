import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a form was sent by a page of this origin. Browsers state it in `Sec-Fetch-Site`, which no page can set; older ones send `Origin`.
 * A request with neither is rejected.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const { 'sec-fetch-site': site, origin: sender } = headers
  return site === undefined ? sender === origin : site === 'same-origin'
}
