import { type Caller, callerOrganizationIds } from '@quittance/contracts/caller'
import { NotPermitted, ResourceNotFound } from '@quittance/contracts/errors'
import type { SystemSql } from '@quittance/sql/sql-runner'

/**
 * Returns the user who calls with a credential that no application holds. Only such a user may change credentials, OAuth clients and
 * members: a third-party application could otherwise grant itself or another more than the user consented to.
 */
export function requireUser(caller: Caller): { userId: string; tokenId: string } {
  if (caller.kind !== 'user') throw new NotPermitted('Only a user can do this.')
  if (caller.client_id !== null) throw new NotPermitted('An application cannot do this on behalf of a user.')
  return { userId: caller.user_id, tokenId: caller.token_id }
}

/** Throws `ResourceNotFound` unless the caller may act for the organization. */
export function requireOwnOrganization(caller: Caller, organizationId: string): void {
  if (!callerOrganizationIds(caller).includes(organizationId)) throw new ResourceNotFound()
}

/** Locks the membership until the change is committed, so that a removal at the same time either waits for it or prevents it. */
const findMembership = `select 1 from members where organization_id = :organization_id and account_id = :account_id for key share`

/** The operator acts for accounts that are no members, but not for what does not exist. */
const findAccountAndOrganization = `
  select 1 from organizations o cross join accounts a where o.id = :organization_id and a.id = :account_id`

/**
 * Returns whether the user is a member now. Gateways cache memberships for seconds, and an organization token outlives the membership of its
 * creator: a user who has just been removed must not get one. The operator acts for any account that exists.
 */
export async function isStillMember(
  systemSql: SystemSql,
  { userId, tokenId, organizationId }: { userId: string; tokenId: string; organizationId: string },
): Promise<boolean> {
  const values = { organization_id: organizationId, account_id: userId }
  if (tokenId === 'operator') return (await systemSql('member.find-for-operator', findAccountAndOrganization, values)).length > 0
  return (await systemSql('member.lock', findMembership, values)).length > 0
}
