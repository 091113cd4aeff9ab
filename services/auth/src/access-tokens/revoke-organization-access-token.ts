import { revokeOrganizationAccessToken as contract } from '@quittance/contracts/access-tokens'
import { organizationsOf } from '@quittance/contracts/caller'
import { command } from '@quittance/runtime/handler'
import { ownPerson } from '../accounts/own-person.ts'
import { AccessToken } from './access-token.ts'
import { forgetToken } from './forget-token.ts'

export const revokeOrganizationAccessToken = command(contract, async ({ id }, { em, caller, now, publish }) => {
  ownPerson(caller)
  const token = await em.findOneOrFail(AccessToken, { id, kind: 'organization', organizationId: { $in: [...organizationsOf(caller)] } })
  if (token.revoke(now)) publish(forgetToken(token))
  return null
})
