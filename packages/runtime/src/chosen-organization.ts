import type { Caller } from '@quittance/contracts/caller'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'

/**
 * Where a new object belongs. An organization credential says it by itself and must not repeat it; a user credential must
 * name one of the user's organizations.
 */
export function chosenOrganization(caller: Caller, organizationId: string | null | undefined): string {
  if (caller.kind === 'organization') {
    if (organizationId) {
      throw RequestValidationError.field(
        ['organization_id'],
        'Setting organization_id is disallowed when using an organization token.',
        'organization_token',
      )
    }
    return caller.organization_id
  }
  if (caller.kind !== 'user') throw new NotPermitted('Not permitted')
  if (!organizationId) throw RequestValidationError.field(['organization_id'], 'Field required', 'missing')
  if (!caller.organization_ids.includes(organizationId)) throw RequestValidationError.field(['organization_id'], 'Organization not found.')
  return organizationId
}
