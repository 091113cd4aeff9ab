import { verifyGrant } from '@quittance/contracts/auth'
import { ApiError, InvalidToken } from '@quittance/contracts/errors'
import { scopes, type Scope } from '@quittance/contracts/scopes'
import type { NatsConnection } from '@quittance/runtime/nats-connection'
import { call } from '@quittance/runtime/rpc-client'
import { jwtVerify } from 'jose'
import { z } from 'zod'
import { createKeySet } from './key-set.ts'
import { acceptCredential, rejectedCredential, createInvalidTokenError, type VerificationResult } from './verification-result.ts'

/** Claims read from a JWT access token (RFC 9068 §2.2). A confirmation other than `jkt` is rejected, not ignored. */
const Claims = z.object({
  sub: z.string(),
  client_id: z.string(),
  grant_id: z.string().max(100),
  jti: z.string().max(100),
  exp: z.number(),
  scope: z.string().default(''),
  cnf: z.object({ jkt: z.string() }).optional(),
})

/**
 * Verifies JWT access tokens of one issuer, which is also their audience: signature, type and lifetime locally, and the grant by a call to
 * auth. Throws `InvalidToken` for tokens rejected locally.
 */
export function createJwtVerifier(connection: NatsConnection, issuer: string): (token: string) => Promise<VerificationResult> {
  const keys = createKeySet(connection)
  return async (token) => {
    const { grant_id, jti, exp, scope, cnf } = await readClaims(token).catch((error: unknown) => {
      throw error instanceof ApiError ? error : createInvalidTokenError(error)
    })
    try {
      const { caller } = await call(connection, {
        operation: verifyGrant,
        request: { grant_id, token_id: jti },
        caller: { kind: 'anonymous' },
      })
      return acceptCredential(
        { caller, scopes: filterKnownScopes(scope), keyThumbprint: cnf?.jkt ?? null },
        { verifiedBy: 'auth', grantId: grant_id, expiresAt: exp * 1000 },
      )
    } catch (error) {
      if (error instanceof InvalidToken) return rejectedCredential
      throw error
    }
  }

  async function readClaims(token: string) {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience: issuer,
      requiredClaims: ['sub', 'client_id', 'grant_id', 'jti', 'iat', 'exp'],
    })
    return Claims.parse(payload)
  }
}

function filterKnownScopes(scope: string): Set<Scope> {
  const granted = new Set(scope.split(' '))
  return new Set(scopes.filter((each) => granted.has(each)))
}
