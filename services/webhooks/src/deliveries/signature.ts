import { createHmac } from 'node:crypto'

/** What is signed. */
export interface Signable {
  /** Newest first: several while one is replaced by another. */
  secrets: readonly string[]
  /** The event's id, the same at every attempt. */
  id: string
  /** Unix seconds of this attempt. */
  timestamp: number
  /** The body as it is sent. */
  body: string
}

/** The three headers of Standard Webhooks 1.0. */
export function signatureHeaders(signable: Signable) {
  return {
    'webhook-id': signable.id,
    'webhook-timestamp': String(signable.timestamp),
    'webhook-signature': signable.secrets
      .flatMap(signingKeys)
      .map((key) => sign(key, signable))
      .join(' '),
  }
}

function sign(key: Uint8Array, { id, timestamp, body }: Signable): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/**
 * A secret in the form of the standard signs twice: keyed with the bytes it encodes, as the standard's libraries verify, then
 * with its own letters, as the official client does. The standard comes first for receivers that look at one signature only.
 * Any other secret was chosen by the customer and is keyed with its letters.
 */
function signingKeys(secret: string): Uint8Array[] {
  const letters = Buffer.from(secret)
  const [, encoded] = /^whsec_(.+)$/.exec(secret) ?? []
  const decoded = Buffer.from(encoded ?? '', 'base64')
  return encoded && decoded.toString('base64') === encoded ? [decoded, letters] : [letters]
}
