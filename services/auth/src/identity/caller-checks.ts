import { type Caller, callerOrganizationIds } from '@quittance/contracts/caller'
import { NotPermitted, ResourceNotFound } from '@quittance/contracts/errors'

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
