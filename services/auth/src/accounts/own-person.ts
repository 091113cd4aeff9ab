import type { Caller } from '@quittance/contracts/caller'
import { NotPermitted } from '@quittance/contracts/errors'

/**
 * The person who asks with a credential of their own. Credentials, OAuth clients and members are changed by nobody else: a
 * third-party application could otherwise give itself, or a friend, more than the person consented to.
 */
export function ownPerson(caller: Caller): { userId: string; tokenId: string } {
  if (caller.kind !== 'user') throw new NotPermitted('Only a person can do this.')
  if (caller.client_id !== null) throw new NotPermitted('An application cannot do this in the name of a person.')
  return { userId: caller.user_id, tokenId: caller.token_id }
}
