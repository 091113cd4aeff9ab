import { createAccount as contract } from '@quittance/contracts/auth'
import { RequestValidationError } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { Account } from './account.ts'
import { hashPassword } from './password.ts'

export const createAccount = command(contract, async ({ email, password }, { em, rows, now }) => {
  const taken = await rows('account.email-taken', `select 1 from accounts where lower(email) = lower(:email)`, { email })
  if (taken.length > 0) throw RequestValidationError.field(['email'], 'An account with this e-mail address already exists.')
  const account = em.create(Account, { email, passwordHash: await hashPassword(password) })
  await em.flush()
  return { id: account.id, created_at: now.toISOString(), modified_at: null, email }
})
