import type { Rows } from '@quittance/runtime/handler'
import type { FindAccount } from 'oidc-provider'
import { currentUnitOfWork } from './unit-of-work.ts'

interface AccountRow {
  id: string
  email: string
  email_verified: boolean
}

const find = `select id, email, email_verified_at is not null as email_verified from accounts where id = :id`

/**
 * The person behind a session or a token. Nobody, when a token is for an organization the person has left: then the token is
 * refused wherever it is used.
 */
export function findAccountIn(rows: Rows): FindAccount {
  return async (_ctx, id, token) => {
    const grantId = (token as { grantId?: string } | undefined)?.grantId
    const grant = grantId ? currentUnitOfWork()?.grants.get(grantId) : undefined
    if (grant && !grant.is_member) return undefined
    const [person] = grant
      ? [{ id, email: grant.email, email_verified: grant.email_verified }]
      : await rows<AccountRow>('account.find', find, { id })
    if (!person) return undefined
    return {
      accountId: id,
      claims: () => ({
        sub: id,
        email: person.email,
        email_verified: person.email_verified,
        ...(grant && { sub_type: grant.sub_type }),
        ...(grant?.organization_id && { organization_id: grant.organization_id }),
      }),
    }
  }
}
