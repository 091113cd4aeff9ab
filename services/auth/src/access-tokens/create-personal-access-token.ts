import { createPersonalAccessToken as contract } from '@quittance/contracts/access-tokens'
import { RequestValidationError } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { Account } from '../accounts/account.ts'
import { AccessToken, issueToken } from './access-token.ts'
import { expiryOf } from './expiry.ts'

export const createPersonalAccessToken = command(contract, async ({ user_id, comment, scopes, expires_in }, { em, now }) => {
  if (!(await em.findOne(Account, user_id))) throw RequestValidationError.field(['user_id'], 'Account not found.')
  const { token, row } = issueToken({
    kind: 'personal',
    organizationId: null,
    accountId: user_id,
    comment,
    scopes,
    expiresAt: expiryOf(expires_in ?? null, now),
  })
  const created = em.create(AccessToken, row)
  await em.flush()
  return { id: created.id, token }
})
