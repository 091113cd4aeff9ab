import { createHmac, timingSafeEqual } from 'node:crypto'

const prefix = 'qt_un_'
const idBytes = 16
const proofBytes = 16

/** Returns the token with which the recipient of a mail stops mails of its kind. The same mail and key give the same token. */
export function createOptOutToken(messageId: string, key: Uint8Array): string {
  const id = Buffer.from(messageId.replaceAll('-', ''), 'hex')
  return `${prefix}${Buffer.concat([id, computeProof(id, key)]).toString('base64url')}`
}

/** Returns the mail that a token belongs to; null for a token that was not created with one of the keys. */
export function openOptOutToken(token: string, keys: readonly Uint8Array[]): string | null {
  const bytes = token.startsWith(prefix) ? Buffer.from(token.slice(prefix.length), 'base64url') : Buffer.alloc(0)
  if (bytes.length !== idBytes + proofBytes) return null
  const [id, proof] = [bytes.subarray(0, idBytes), bytes.subarray(idBytes)]
  if (!keys.some((key) => timingSafeEqual(computeProof(id, key), proof))) return null
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function computeProof(id: Buffer, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('quittance mail: opt-out ').update(id).digest().subarray(0, proofBytes)
}
