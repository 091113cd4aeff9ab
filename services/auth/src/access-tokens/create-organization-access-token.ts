import { createOrganizationAccessToken as contract } from '@quittance/contracts/access-tokens'
import { organizationsOf } from '@quittance/contracts/caller'
import { RequestValidationError } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { ownPerson } from '../accounts/own-person.ts'
import { AccessToken, issueToken } from './access-token.ts'
import { organizationAccessTokenView } from './access-token-view.ts'
import { expiryOf } from './expiry.ts'
import { refuseExcessScopes } from './handed-out-scopes.ts'

export const createOrganizationAccessToken = command(contract, async (request, { em, caller, read, rows, now }) => {
  const { userId, tokenId } = ownPerson(caller)
  if (!organizationsOf(caller).includes(request.organization_id)) {
    throw RequestValidationError.field(['organization_id'], 'Organization not found.')
  }
  await refuseExcessScopes(request.scopes, { tokenId, rows })
  const { token, row } = issueToken({
    kind: 'organization',
    organizationId: request.organization_id,
    accountId: userId,
    comment: request.comment,
    scopes: request.scopes,
    expiresAt: expiryOf(request.expires_in ?? null, now),
  })
  const created = em.create(AccessToken, row)
  await em.flush()
  const view = await read.one(organizationAccessTokenView, { where: 't.id = :id', values: { id: created.id } })
  return { organization_access_token: JSON.parse(view), token }
})
