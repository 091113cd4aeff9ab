import { createHmac, timingSafeEqual } from 'node:crypto'

/** State that a form carries from one step to the next, so that no step has to be stored. */
export interface StatePurpose {
  /** Prevents the state of one step from being accepted at another. */
  purpose: 'second-factor-of-password' | 'passkey-challenge'
  /** What the browser proves by cookie: the uid of an interaction or session, the form cookie. */
  subject: string
}

export interface SignedState {
  /** Signs `data` (visible to the browser, so never a secret) for `ttlSeconds`. */
  sign(purpose: StatePurpose, data: string, ttlSeconds: number): string
  /** Returns the data, or null if the text is forged, expired, or of another purpose or browser. */
  open(purpose: StatePurpose, text: unknown): string | null
}

export function createSignedState(secret: Uint8Array): SignedState {
  const mac = ({ purpose, subject }: StatePurpose, body: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([purpose, subject, body]))
      .digest('base64url')
  return {
    sign(purpose, data, ttlSeconds) {
      const body = Buffer.from(JSON.stringify({ data, expires: Date.now() + ttlSeconds * 1000 })).toString('base64url')
      return `${body}.${mac(purpose, body)}`
    },
    open(purpose, text) {
      const [body, given, ...rest] = typeof text === 'string' && text.length <= 2_000 ? text.split('.') : []
      if (!body || !given || rest.length > 0) return null
      const expected = Buffer.from(mac(purpose, body))
      const actual = Buffer.from(given)
      if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return null
      const { data, expires } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { data: string; expires: number }
      return expires > Date.now() ? data : null
    },
  }
}
