import { createDecipheriv } from 'node:crypto'
import { importJWK, type CryptoKey, type JWK } from 'jose'
import type { RunningProvider } from './provider.ts'

export interface SigningKey {
  kid: string
  privateKey: CryptoKey
  publicJwk: JWK
}

interface Row {
  kid: string
  public_key: JWK
  private_key_sealed: string
}

const ivBytes = 12
const tagBytes = 16

/** Loads the server's signing key of JWT access tokens, to create tokens with exactly one wrong claim. */
export async function loadSigningKey(provider: RunningProvider, secret: Uint8Array): Promise<SigningKey> {
  const sql = `select kid, public_key, private_key_sealed from signing_keys where alg = 'ES256' and state = 'current'`
  const [row] = await provider.rows<Row>(sql)
  if (!row) throw new Error('There is no signing key')
  const sealed = Buffer.from(row.private_key_sealed.split('$')[2] ?? '', 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, ivBytes))
    .setAAD(Buffer.from(row.kid))
    .setAuthTag(sealed.subarray(-tagBytes))
  const text = Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]).toString()
  const privateKey = (await importJWK(JSON.parse(text) as JWK, 'ES256')) as CryptoKey
  return { kid: row.kid, privateKey, publicJwk: row.public_key }
}
