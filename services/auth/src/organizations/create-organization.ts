import { createOrganization as contract } from '@quittance/contracts/organizations'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { foundOrganization, isSlugTaken } from './found-organization.ts'

export const createOrganization = command(contract, async ({ name, slug, ...profile }, context) => {
  const { caller } = context
  if (caller.kind !== 'user') throw new NotPermitted('Only a person can create an organization.')
  if (await isSlugTaken(context, slug)) throw RequestValidationError.field(['slug'], 'An organization with this slug already exists.')
  return foundOrganization(context, { accountId: caller.user_id, name, slug, profile })
})
