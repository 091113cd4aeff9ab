import { createHmac, timingSafeEqual } from 'node:crypto'

/** Binds a form to what the browser proves by cookie: an interaction or a session. */
export interface Csrf {
  token(subject: string): string
  matches(subject: string, token: unknown): boolean
}

export function createCsrf(secret: Uint8Array): Csrf {
  const token = (subject: string) => createHmac('sha256', secret).update(`csrf:${subject}`).digest('base64url')
  return {
    token,
    matches(subject, sent) {
      const expected = Buffer.from(token(subject))
      const actual = Buffer.from(typeof sent === 'string' ? sent : '')
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    },
  }
}
