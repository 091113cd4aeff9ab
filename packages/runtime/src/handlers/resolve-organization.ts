import type { Caller } from '@quittance/contracts/caller'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'

/**
 * Returns the organization of a new object. An organization credential determines it and must not repeat it; a user credential must name
 * one of the user's organizations, in the body or by the header that limits the request to it.
 */
export function resolveOrganization(caller: Caller, organizationId: string | null | undefined): string {
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
  const named = organizationId ?? caller.organization_id
  if (!named)
    throw RequestValidationError.field(['organization_id'], 'Field required: a user may act for several organizations.', 'missing')
  if (!caller.organization_ids.includes(named)) throw RequestValidationError.field(['organization_id'], 'Organization not found.')
  return named
}
