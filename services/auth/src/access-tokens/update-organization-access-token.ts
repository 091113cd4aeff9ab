import { updateOrganizationAccessToken as contract } from '@quittance/contracts/access-tokens'
import { organizationsOf } from '@quittance/contracts/caller'
import { command } from '@quittance/runtime/handler'
import { ownPerson } from '../accounts/own-person.ts'
import { AccessToken } from './access-token.ts'
import { organizationAccessTokenView } from './access-token-view.ts'
import { forgetToken } from './forget-token.ts'
import { refuseExcessScopes } from './handed-out-scopes.ts'

export const updateOrganizationAccessToken = command(contract, async ({ id, comment, scopes }, { em, caller, publish, read, rows }) => {
  const { tokenId } = ownPerson(caller)
  const token = await em.findOneOrFail(AccessToken, {
    id,
    kind: 'organization',
    organizationId: { $in: [...organizationsOf(caller)] },
    revokedAt: null,
  })
  const added = (scopes ?? []).filter((scope) => !token.scopes.includes(scope))
  await refuseExcessScopes(added, { tokenId, rows })
  if (token.change({ comment, scopes })) publish(forgetToken(token))
  return read.one(organizationAccessTokenView, { where: 't.id = :id', values: { id } })
})
