import { Provider } from 'oidc-provider'
import { forget } from '../access-tokens/forget-token.ts'
import type { InTransaction } from '../http/in-transaction.ts'

/** Takes back what was issued and tells every gateway, in one transaction. */
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

export function createRevocation(inTransaction: InTransaction): Revocation {
  return {
    /** The library asks once for every kind of token; the grant takes all of them with it, the first time. */
    async revokeGrant(grantId) {
      if (revokesOneAccessToken()) return
      await inTransaction(async ({ rows, publish }) => {
        const [owner] = await rows<Owner>('grant.delete', deleteGrant, { id: grantId })
        if (owner) publish(forget({ aggregateId: owner.account_id, organizationId: owner.organization_id, grant_id: grantId }))
      })
    },
    /** Codes and refresh tokens are never taken back alone: their grant is. */
    async revokeToken(table, hash) {
      if (table !== 'oauth_access_tokens') return
      await inTransaction(async ({ rows, publish }) => {
        const [owner] = await rows<Owner>('access-token.delete', deleteAccessToken, { hash })
        if (owner) publish(forget({ aggregateId: owner.account_id, organizationId: owner.organization_id, token_hash: hash }))
      })
    },
  }
}

/** A client that gives one access token back keeps its refresh token (RFC 7009 §2.1 leaves it open). */
function revokesOneAccessToken(): boolean {
  const oidc = Provider.ctx?.oidc
  return oidc?.route === 'revocation' && oidc.entities.AccessToken !== undefined
}
