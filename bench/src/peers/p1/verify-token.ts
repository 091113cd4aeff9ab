import { createHash } from 'node:crypto'
import { importJWK, jwtVerify, type JWK } from 'jose'

interface Claims {
  organizationId: string
  scopes: ReadonlySet<string>
  expiresAt: number
}

export type VerifyToken = (authorization: string | undefined) => Promise<Claims>

export const issuer = 'https://peer.example'
export const audience = 'https://peer.example/v1'

/** Verifies the signature and the claims of every request's token. */
export async function jwtVerifier(publicKey: JWK): Promise<VerifyToken> {
  const key = await importJWK(publicKey, 'ES256')
  return async (authorization) => {
    if (!authorization?.startsWith('Bearer ')) throw new Error('There is no bearer token.')
    const { payload } = await jwtVerify(authorization.slice(7), key, { issuer, audience, algorithms: ['ES256'] })
    return {
      organizationId: String(payload['organization_id']),
      scopes: new Set(String(payload['scope']).split(' ')),
      expiresAt: (payload.exp ?? 0) * 1000,
    }
  }
}

/** Caches a verified token until it expires. */
export function cachedVerifier(verify: VerifyToken): VerifyToken {
  const known = new Map<string, Claims>()
  return async (authorization = '') => {
    const hash = createHash('sha256').update(authorization).digest('base64')
    const found = known.get(hash)
    if (found && found.expiresAt > Date.now()) return found
    const claims = await verify(authorization)
    known.set(hash, claims)
    return claims
  }
}
