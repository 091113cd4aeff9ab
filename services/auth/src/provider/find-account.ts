import type { SystemSql } from '@quittance/sql/sql-runner'
import type { FindAccount } from 'oidc-provider'
import { currentUnitOfWork } from './unit-of-work.ts'

interface AccountRow {
  id: string
  email: string
  email_verified: boolean
}

const find = `select id, email, email_verified_at is not null as email_verified from accounts where id = :id`

/**
 * Loads the account of a session or a token. Returns undefined if the token is for an organization the user has left: then the token is
 * rejected everywhere.
 */
export function createFindAccount(systemSql: SystemSql): FindAccount {
  return async (_ctx, id, token) => {
    const grantId = (token as { grantId?: string } | undefined)?.grantId
    const grant = grantId ? currentUnitOfWork()?.grants.get(grantId) : undefined
    if (grant && !grant.is_member) return undefined
    const [account] = grant
      ? [{ id, email: grant.email, email_verified: grant.email_verified }]
      : await systemSql<AccountRow>('account.find', find, { id })
    if (!account) return undefined
    return {
      accountId: id,
      claims: () => ({
        sub: id,
        email: account.email,
        email_verified: account.email_verified,
        ...(grant && { sub_type: grant.sub_type }),
        ...(grant?.organization_id && { organization_id: grant.organization_id }),
        // As in the official contract: an organization is named by its slug.
        ...(grant?.organization_slug && { name: grant.organization_slug }),
      }),
    }
  }
}
