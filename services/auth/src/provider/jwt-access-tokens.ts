import type { SystemSql } from '@quittance/sql/sql-runner'
import { createLocalJWKSet, jwtVerify, type JWK } from 'jose'
import type { JWK as PrivateKey } from 'oidc-provider'
import { z } from 'zod'
import { tokenRevokedEvent } from '../identity/token-revoked.ts'
import { activeGrantsSql } from '../access-tokens/active-grant.ts'
import type { TransactionRunner } from '../transaction-runner.ts'

/** Claims of a JWT access token of this server (RFC 9068 §2.2). */
const Claims = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.string(),
  client_id: z.string(),
  grant_id: z.string().max(100),
  jti: z.string().min(1).max(100),
  iat: z.int(),
  exp: z.int(),
  scope: z.string().optional(),
  sub_type: z.string().optional(),
  organization_id: z.string().optional(),
  cnf: z.object({ jkt: z.string() }).optional(),
})
type Claims = z.infer<typeof Claims>

/** Revokes and introspects JWT access tokens; the library rejects both because it stores no row of them. */
export interface JwtAccessTokens {
  /** Revokes one token of this client (RFC 7009 §2.1). Ignores a token of another client or another server. */
  revoke(token: string, clientId: string): Promise<void>
  /** Returns the RFC 7662 §2.2 response for an active token of this client; `{ active: false }` for every other. */
  introspect(token: string, clientId: string): Promise<Record<string, unknown>>
}

interface Options {
  /** Issuer of the tokens, which is also their audience. */
  issuer: string
  signingKeys: readonly PrivateKey[]
  systemSql: SystemSql
  inTransaction: TransactionRunner
}

/** Joins the grant, so that nothing is written for a token whose grant has ended since. */
const revoke = `
  insert into revoked_jwt_access_tokens (jti, grant_id, expires_at)
  select :jti, g.id, to_timestamp(:expires_at) from grants g where g.id = :grant_id
  on conflict (jti) do nothing`

const findOwner = `select account_id, organization_id from grants where id = :grant_id`

const isActive = `
  select 1 from ${activeGrantsSql}
  where g.id = :grant_id and g.client_id = :client_id
    and not exists (select from revoked_jwt_access_tokens r where r.jti = :jti)`

export function createJwtAccessTokens({ issuer, signingKeys, systemSql, inTransaction }: Options): JwtAccessTokens {
  const keys = createLocalJWKSet({ keys: signingKeys.map(publicPart) })
  return {
    async revoke(token, clientId) {
      const claims = await read(token)
      if (claims?.client_id !== clientId) return
      const { jti, grant_id, exp } = claims
      await inTransaction(async (transaction) => {
        await transaction.systemSql('jwt-access-token.revoke', revoke, { jti, grant_id, expires_at: exp })
        const [owner] = await transaction.systemSql<{ account_id: string; organization_id: string | null }>('grant.owner', findOwner, {
          grant_id,
        })
        if (!owner) return
        // By grant: gateways cache a JWT by the hash of its text, and one signature can be encoded in two ways. They verify the other
        // cached tokens of the grant again.
        transaction.publish(tokenRevokedEvent({ aggregateId: owner.account_id, organizationId: owner.organization_id, grant_id }))
      })
    },
    async introspect(token, clientId) {
      const claims = await read(token)
      if (claims?.client_id !== clientId) return { active: false }
      const { jti, grant_id, cnf, ...details } = claims
      const active = await systemSql('jwt-access-token.is-active', isActive, { jti, grant_id, client_id: clientId })
      if (active.length === 0) return { active: false }
      return { active: true, ...details, jti, token_type: cnf ? 'DPoP' : 'Bearer', ...(cnf && { cnf }) }
    },
  }

  /** Returns null for a token that this server did not sign as an access token, or that has expired. */
  async function read(token: string): Promise<Claims | null> {
    try {
      const { payload } = await jwtVerify(token, keys, { algorithms: ['ES256'], typ: 'at+jwt', issuer, audience: issuer })
      return Claims.parse(payload)
    } catch {
      return null
    }
  }
}

function publicPart({ kty, kid, alg, use, crv, x, y, n, e }: PrivateKey): JWK {
  return { kty, kid, alg, use, crv, x, y, n, e } as JWK
}
