import { organizationsOf, type Caller } from '@quittance/contracts/caller'
import { ResourceNotFound } from '@quittance/contracts/errors'

/** Ends with `ResourceNotFound` unless the organization is one the caller may act for. */
export function demandOwnOrganization(caller: Caller, organizationId: string): void {
  if (!organizationsOf(caller).includes(organizationId)) throw new ResourceNotFound()
}
