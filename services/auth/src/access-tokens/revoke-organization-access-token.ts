import { revokeOrganizationAccessToken as contract, tokenRevoked } from '@quittance/contracts/auth'
import { organizationsOf } from '@quittance/contracts/caller'
import { command } from '@quittance/runtime/handler'
import { AccessToken } from './access-token.ts'

export const revokeOrganizationAccessToken = command(contract, async ({ id }, { em, caller, now, publish }) => {
  const token = await em.findOneOrFail(AccessToken, { id, kind: 'organization', organizationId: { $in: [...organizationsOf(caller)] } })
  if (token.revoke(now)) {
    publish({
      event: tokenRevoked,
      aggregateId: id,
      organizationId: token.organizationId ?? null,
      payload: { token_hash: token.tokenHash },
    })
  }
  return null
})
