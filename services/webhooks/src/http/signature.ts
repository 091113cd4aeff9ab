import { createHmac, createSecretKey, randomBytes } from 'node:crypto'

/** Input of a signature. */
export interface Signable {
  /** Newest first; several during a rotation. */
  secrets: readonly string[]
  /** Id of the event, the same in every attempt. */
  id: string
  /** Unix seconds of this attempt. */
  timestamp: number
  /** The body as sent. */
  body: string
}

/** Returns the three headers of Standard Webhooks 1.0. */
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
  // A key as bytes would be recognized only through an internal exception, at several times the cost.
  return `v1,${createHmac('sha256', createSecretKey(key)).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

/**
 * Returns the HMAC keys of a secret. A secret in the standard's form signs twice: with the bytes it encodes, as the standard's libraries
 * verify, then with its text, as the official client does. The standard comes first for receivers that check only one signature. Any other
 * secret was chosen by the customer and signs with its text.
 */
function signingKeys(secret: string): Uint8Array[] {
  const secretBytes = Buffer.from(secret)
  const [, encoded] = /^whsec_(.+)$/.exec(secret) ?? []
  const decodedBytes = Buffer.from(encoded ?? '', 'base64')
  return encoded && decodedBytes.toString('base64') === encoded ? [decodedBytes, secretBytes] : [secretBytes]
}

/** Generates a signing secret in the form of Standard Webhooks. */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}
