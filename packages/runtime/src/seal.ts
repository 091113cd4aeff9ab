import { createCipheriv, createDecipheriv, createSecretKey, hash, randomUUID } from 'node:crypto'

/** Keys of 32 bytes, newest first, and what a secret is bound to: moved to another place it does not open. */
export interface Seal {
  keys: readonly Uint8Array[]
  context: string
}

const scheme = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** The secret as it is stored: `aes-256-gcm$key id$iv, text and tag`. The first key seals. */
export function sealSecret(secret: string, { keys, context }: Seal): string {
  const [key] = keys
  if (!key) throw new Error('There is no key to seal with')
  const iv = randomIv()
  // Bytes as the key would be found to be no `KeyObject` by a failure inside, at several times the cost.
  const cipher = createCipheriv(scheme, createSecretKey(key), iv).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return [scheme, keyId(key), sealed.toString('base64url')].join('$')
}

/** Any of the keys opens what it sealed. */
export function openSecret(stored: string, { keys, context }: Seal): string {
  const [usedScheme, usedKey, text] = stored.split('$')
  if (usedScheme !== scheme || !text) throw new Error('The stored secret is of an unknown form')
  const key = keys.find((candidate) => keyId(candidate) === usedKey)
  if (!key) throw new Error(`The stored secret was sealed under key ${usedKey}, which is not among ${keys.map(keyId).join(', ')}`)
  const sealed = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv(scheme, createSecretKey(key), sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]).toString()
}

/** From both ends of a UUID, which are all chance: Node draws those from a pool, while `randomBytes` asks the system each time. */
function randomIv(): Buffer {
  const uuid = randomUUID().replaceAll('-', '')
  return Buffer.from(uuid.slice(0, ivBytes) + uuid.slice(-ivBytes), 'hex')
}

const label = Buffer.from('key id')

/** Tells keys apart without telling anything of them. */
function keyId(key: Uint8Array): string {
  return hash('sha256', Buffer.concat([label, key]), 'hex').slice(0, 8)
}
