import { createAccount as contract } from '@quittance/contracts/accounts'
import { RequestValidationError } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { Account } from './account.ts'
import { accountView } from './account-view.ts'
import { hashPassword } from './password.ts'

export const createAccount = command(contract, async ({ email, password, email_verified }, { em, read, rows, now }) => {
  const taken = await rows('account.email-taken', `select 1 from accounts where lower(email) = lower(:email)`, { email })
  if (taken.length > 0) throw RequestValidationError.field(['email'], 'An account with this e-mail address already exists.')
  const account = em.create(Account, {
    email,
    passwordHash: await hashPassword(password),
    emailVerifiedAt: email_verified ? now : null,
  })
  await em.flush()
  return read.one(accountView, { where: 'a.id = :id', values: { id: account.id } })
})
