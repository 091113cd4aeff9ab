import { createOrganizationAccessToken as contract } from '@quittance/contracts/auth'
import { organizationsOf } from '@quittance/contracts/caller'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { AccessToken, issueToken } from './access-token.ts'
import { organizationAccessTokenView } from './access-token-view.ts'

export const createOrganizationAccessToken = command(contract, async (request, { em, caller, read, now }) => {
  if (caller.kind !== 'user') throw new NotPermitted('Only a person can create organization access tokens.')
  if (!organizationsOf(caller).includes(request.organization_id)) {
    throw RequestValidationError.field(['organization_id'], 'Organization not found.')
  }
  const { token, row } = issueToken({
    kind: 'organization',
    organizationId: request.organization_id,
    accountId: caller.user_id,
    comment: request.comment,
    scopes: request.scopes,
    expiresIn: request.expires_in ?? null,
    now,
  })
  const created = em.create(AccessToken, row)
  await em.flush()
  const view = await read.one(organizationAccessTokenView, { where: 't.id = :id', values: { id: created.id } })
  return { organization_access_token: JSON.parse(view), token }
})
