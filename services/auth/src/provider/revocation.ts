import { Provider } from 'oidc-provider'
import { tokenRevokedEvent } from '../identity/token-revoked.ts'
import type { TransactionRunner } from '../transaction-runner.ts'

/** Revokes what was issued and publishes it to the gateways, in one transaction. */
export interface Revocation {
  revokeGrant(grantId: string): Promise<void>
  revokeToken(table: 'authorization_codes' | 'refresh_tokens' | 'oauth_access_tokens', hash: string): Promise<void>
}

const deleteGrant = `delete from grants where id = :id returning account_id, organization_id`

const deleteAccessToken = `delete from oauth_access_tokens t using grants g
  where t.token_hash = :hash and g.id = t.grant_id returning g.account_id, g.organization_id`

interface Owner {
  account_id: string
  organization_id: string | null
}

export function createRevocation(inTransaction: TransactionRunner): Revocation {
  return {
    /** The library calls this once per kind of token; the first call deletes the grant and all its tokens. */
    async revokeGrant(grantId) {
      if (revokesOneAccessToken()) return
      await inTransaction(async ({ systemSql, publish }) => {
        const [owner] = await systemSql<Owner>('grant.delete', deleteGrant, { id: grantId })
        if (owner) publish(tokenRevokedEvent({ aggregateId: owner.account_id, organizationId: owner.organization_id, grant_id: grantId }))
      })
    },
    /** Codes and refresh tokens are never revoked alone, only with their grant. */
    async revokeToken(table, hash) {
      if (table !== 'oauth_access_tokens') return
      await inTransaction(async ({ systemSql, publish }) => {
        const [owner] = await systemSql<Owner>('access-token.delete', deleteAccessToken, { hash })
        if (owner) publish(tokenRevokedEvent({ aggregateId: owner.account_id, organizationId: owner.organization_id, token_hash: hash }))
      })
    },
  }
}

/** A client that revokes one access token keeps its refresh token (RFC 7009 §2.1 allows both). */
function revokesOneAccessToken(): boolean {
  const oidc = Provider.ctx?.oidc
  return oidc?.route === 'revocation' && oidc.entities.AccessToken !== undefined
}
