import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** A key, and the organization a secret is bound to: moved to another organization's row it does not open. */
export interface Seal {
  key: Uint8Array
  organizationId: string
}

const scheme = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** A new signing secret in the form of Standard Webhooks. */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The secret as it is stored: `aes-256-gcm$key id$iv, text and tag`. */
export function sealSecret(secret: string, { key, organizationId }: Seal): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(scheme, key, iv).setAAD(Buffer.from(organizationId))
  const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return [scheme, keyId(key), sealed.toString('base64url')].join('$')
}

export function openSecret(stored: string, { key, organizationId }: Seal): string {
  const [usedScheme, usedKey, text] = stored.split('$')
  if (usedScheme !== scheme || !text) throw new Error('The stored secret is of an unknown form')
  if (usedKey !== keyId(key)) throw new Error(`The stored secret was sealed under key ${usedKey}, SECRETS_KEY is ${keyId(key)}`)
  const sealed = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv(scheme, key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(organizationId)).setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]).toString()
}

/** Tells keys apart without telling anything of them. */
function keyId(key: Uint8Array): string {
  return createHash('sha256').update('key id').update(key).digest('hex').slice(0, 8)
}
