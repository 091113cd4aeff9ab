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
  /** Seconds from now, or null for ever. */
  expiresIn: number | null
  now: Date
}

export class AccessToken extends AccessTokenSchema.class {
  /** True when this call revoked it; revoking twice is not an error. */
  revoke(now: Date): boolean {
    if (this.revokedAt) return false
    this.revokedAt = now
    return true
  }
}
AccessTokenSchema.setClass(AccessToken)

/** A new token: the clear text for its owner, and the row that keeps its hash. */
export function issueToken({ expiresIn, now, ...rest }: Issue) {
  const token = mintToken(rest.kind === 'organization' ? 'qt_oat_' : 'qt_pat_')
  const row = {
    ...rest,
    tokenHash: hashToken(token),
    expiresAt: expiresIn === null ? null : new Date(now.getTime() + expiresIn * 1000),
    lastUsedAt: null,
    revokedAt: null,
  }
  return { token, row }
}
