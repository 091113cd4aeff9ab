import { createCipheriv, createDecipheriv, createSecretKey, hash, randomUUID } from 'node:crypto'

/** Keys of 32 bytes, of which the first encrypts, and the context a secret is bound to: in another context it cannot be decrypted. */
export interface SealOptions {
  keys: readonly Uint8Array[]
  context: string
}

const scheme = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Encrypts a secret for storage: `aes-256-gcm$key id$iv, text and tag`. The first key encrypts. */
export function sealSecret(secret: string, { keys, context }: SealOptions): string {
  const [key] = keys
  if (!key) throw new Error('There is no key to encrypt with')
  const iv = randomIv()
  // A key as bytes would be recognized only through an internal exception, at several times the cost.
  const cipher = createCipheriv(scheme, createSecretKey(key), iv).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return [scheme, keyId(key), sealed.toString('base64url')].join('$')
}

/** Decrypts a stored secret with the key that encrypted it. */
export function openSecret(stored: string, { keys, context }: SealOptions): string {
  const [usedScheme, usedKey, text] = stored.split('$')
  if (usedScheme !== scheme || !text) throw new Error('The stored secret is of an unknown form')
  const key = keys.find((candidate) => keyId(candidate) === usedKey)
  if (!key) throw new Error(`The stored secret was sealed under key ${usedKey}, which is not among ${keys.map(keyId).join(', ')}`)
  const sealed = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv(scheme, createSecretKey(key), sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]).toString()
}

/**
 * Seals the secrets in a stored text again under the first key, if another sealed them. The text may be one secret, an array or JSON. Throws if one
 * cannot be decrypted.
 */
export function resealSecrets(stored: string, options: SealOptions): string {
  const current = options.keys[0] && keyId(options.keys[0])
  return stored.replaceAll(/aes-256-gcm\$([0-9a-f]{8})\$[\w-]+/g, (sealed, usedKey) =>
    usedKey === current ? sealed : sealSecret(openSecret(sealed, options), options),
  )
}

/** Returns a regular expression for PostgreSQL: a stored text with a secret that another key sealed. */
export function buildOtherKeysPattern(key: Uint8Array): string {
  return `${scheme}[$](?!${keyId(key)}[$])`
}

/** Random bytes from both ends of a UUID: Node draws UUIDs from a pool, while `randomBytes` makes a system call each time. */
function randomIv(): Buffer {
  const uuid = randomUUID().replaceAll('-', '')
  return Buffer.from(uuid.slice(0, ivBytes) + uuid.slice(-ivBytes), 'hex')
}

const label = Buffer.from('key id')

/** Returns an id that distinguishes keys without revealing anything about them. */
function keyId(key: Uint8Array): string {
  return hash('sha256', Buffer.concat([label, key]), 'hex').slice(0, 8)
}
