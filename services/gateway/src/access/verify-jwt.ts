import { verifyGrant } from '@quittance/contracts/auth'
import { ApiError, InvalidToken } from '@quittance/contracts/errors'
import { scopes, type Scope } from '@quittance/contracts/scopes'
import type { NatsConnection } from '@quittance/runtime/nats'
import { call } from '@quittance/runtime/request'
import { jwtVerify } from 'jose'
import { z } from 'zod'
import { createKeyRing } from './signing-keys.ts'
import { believed, disbelieved, invalidToken, type Answer } from './verified.ts'

/** What is read of a JWT access token (RFC 9068 §2.2). A confirmation of another kind than `jkt` is refused, not overlooked. */
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
 * Verifies JWT access tokens of one issuer, which is their audience too: signature, type and lifetime here, and by asking
 * auth whether the grant still stands. Throws `InvalidToken` for what is refused here, without asking.
 */
export function createJwtVerifier(connection: NatsConnection, issuer: string): (token: string) => Promise<Answer> {
  const keys = createKeyRing(connection)
  return async (token) => {
    const { grant_id, jti, exp, scope, cnf } = await readClaims(token).catch((error: unknown) => {
      throw error instanceof ApiError ? error : invalidToken(error)
    })
    try {
      const { caller } = await call(connection, {
        operation: verifyGrant,
        request: { grant_id, token_id: jti },
        caller: { kind: 'anonymous' },
      })
      return believed({ caller, scopes: known(scope), keyThumbprint: cnf?.jkt ?? null }, { grantId: grant_id, expiresAt: exp * 1000 })
    } catch (error) {
      if (error instanceof InvalidToken) return disbelieved
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

function known(scope: string): Set<Scope> {
  const granted = new Set(scope.split(' '))
  return new Set(scopes.filter((each) => granted.has(each)))
}
