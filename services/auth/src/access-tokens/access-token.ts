import { defineEntity, p } from '@mikro-orm/core'
import type { Scope } from '@quittance/contracts/scopes'
import { aggregate } from '@quittance/runtime/entity'
import { hashToken, mintToken } from '@quittance/runtime/credential'

/** Found by hash or by account, so the organization filter does not apply; the handlers check membership. */
export const AccessTokenSchema = defineEntity({
  name: 'AccessToken',
  tableName: 'access_tokens',
  properties: {
    ...aggregate,
    kind: p.text().$type<'organization' | 'personal'>(),
    tokenHash: p.text(),
    organizationId: p.uuid().nullable(),
    accountId: p.uuid(),
    comment: p.text(),
    scopes: p.array<Scope>(),
    expiresAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
})

interface Issue {
  kind: 'organization' | 'personal'
  organizationId: string | null
  accountId: string
  comment: string
  scopes: Scope[]
  /** Null for ever. */
  expiresAt: Date | null
}

export class AccessToken extends AccessTokenSchema.class {
  /** True when this call revoked it; revoking twice is not an error. */
  revoke(now: Date): boolean {
    if (this.revokedAt) return false
    this.revokedAt = now
    return true
  }

  /** What was not named stays. True when the scopes are others than before. */
  change({ comment, scopes }: { comment?: string | null | undefined; scopes?: Scope[] | null | undefined }): boolean {
    const before = this.scopes.toSorted().join(' ')
    if (comment != null) this.comment = comment
    if (scopes) this.scopes = [...new Set(scopes)]
    return this.scopes.toSorted().join(' ') !== before
  }
}
AccessTokenSchema.setClass(AccessToken)

/** A new token: the clear text for its owner, and the row that keeps its hash. */
export function issueToken(issue: Issue) {
  const token = mintToken(issue.kind === 'organization' ? 'qt_oat_' : 'qt_pat_')
  const row = { ...issue, scopes: [...new Set(issue.scopes)], tokenHash: hashToken(token), lastUsedAt: null, revokedAt: null }
  return { token, row }
}
