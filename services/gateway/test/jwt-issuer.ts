import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { baseUrl } from './start-gateway.ts'

/** Signs access tokens as auth does. */
export interface Issuer {
  /** The public key as listed by auth. */
  jwk: Record<string, unknown>
  privateKey: CryptoKey
  /** Signs a valid access token, except for the changes; undefined removes a claim. */
  sign(changed?: { claims?: Record<string, unknown>; header?: Record<string, unknown>; key?: CryptoKey | Uint8Array }): Promise<string>
}

export async function createIssuer(kid: string, alg = 'ES256'): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    privateKey,
    sign({ claims, header, key = privateKey } = {}) {
      const now = Math.floor(Date.now() / 1000)
      const good = {
        iss: baseUrl,
        aud: baseUrl,
        sub: 'user',
        client_id: 'client',
        scope: 'orders:read unknown:scope',
        jti: crypto.randomUUID(),
        iat: now,
        exp: now + 600,
        grant_id: 'grant',
        sub_type: 'organization',
      }
      return new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg, typ: 'at+jwt', kid, ...header }).sign(key)
    },
  }
}
