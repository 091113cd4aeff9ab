import { revokePersonalAccessToken as contract } from '@quittance/contracts/access-tokens'
import { command } from '@quittance/runtime/handler'
import { ownPerson } from '../accounts/own-person.ts'
import { AccessToken } from './access-token.ts'
import { forgetToken } from './forget-token.ts'

export const revokePersonalAccessToken = command(contract, async ({ id }, { em, caller, now, publish }) => {
  const { userId } = ownPerson(caller)
  const token = await em.findOneOrFail(AccessToken, { id, kind: 'personal', accountId: userId })
  if (token.revoke(now)) publish(forgetToken(token))
  return null
})
