import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CookieSealer } from '../page/cookies.ts'

/** Session of the buyer who placed the order in this browser: opens the purchase on the page after it. */
export interface Sale {
  sessionToken: string
}

interface SaleCookie {
  cookies: CookieSealer
  /** Client secret of the checkout, to whose pages alone the cookie is sent. */
  secret: string
}

const cookieFor = (secret: string) => ({ name: 'qt_sale', path: `/checkout/${secret}` }) as const

/** Returns the session that the order was answered with; null in other browsers, and after an hour. A frame of another site carries it along. */
export function readSale(request: FastifyRequest, { cookies, secret, sealed }: SaleCookie & { sealed: string | null }): Sale | null {
  const sessionToken = cookies.read(request, cookieFor(secret)) ?? (sealed === null ? null : cookies.open(sealed, cookieFor(secret)))
  return sessionToken ? { sessionToken } : null
}

/** Keeps the session of an order for an hour, as long as it is valid. */
export function writeSale(reply: FastifyReply, { cookies, secret, sessionToken }: SaleCookie & Sale): void {
  cookies.write(reply, { ...cookieFor(secret), value: sessionToken, maxAgeSeconds: 3_600 })
}

/** Seals the session of an order for the pages of its checkout. */
export function sealSale({ cookies, secret, sessionToken }: SaleCookie & Sale): string {
  return cookies.seal(sessionToken, cookieFor(secret))
}
