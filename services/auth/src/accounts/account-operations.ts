import {
  createAccount as createAccountContract,
  getOwnAccount as getOwnAccountContract,
  type Account as AccountReply,
  verifyEmail as verifyEmailContract,
} from '@quittance/contracts/accounts'
import { RequestValidationError, NotPermitted } from '@quittance/contracts/errors'
import { command, query } from '@quittance/runtime/handler'
import { systemCommand } from '@quittance/runtime/system-handler'
import type { View } from '@quittance/sql/view'
import { Account } from '../identity/account.ts'
import { hashPassword } from '../identity/password.ts'

export const createAccount = systemCommand(
  createAccountContract,
  { reason: 'an e-mail address is unique among all accounts, which belong to no organization' },
  async ({ email, password, email_verified }, { em, read, systemSql, now }) => {
    const taken = await systemSql('account.email-taken', `select 1 from accounts where lower(email) = lower(:email)`, { email })
    if (taken.length > 0) throw RequestValidationError.field(['email'], 'An account with this e-mail address already exists.')
    const account = em.create(Account, {
      email,
      passwordHash: await hashPassword(password),
      emailVerifiedAt: email_verified ? now : null,
    })
    await em.flush()
    return read.one(accountView, { where: 'a.id = :id', values: { id: account.id } })
  },
)

export const getOwnAccount = query(getOwnAccountContract, (_, { caller, read }) => {
  if (caller.kind !== 'user') throw new NotPermitted('This credential does not belong to a user.')
  return read.one(accountView, { where: 'a.id = :id', values: { id: caller.user_id } })
})

const accountView: View<AccountReply> = {
  name: 'account',
  organization: null,
  unscopedReason: 'an account belongs to no organization; handlers read one id',
  from: `accounts a`,
  columns: `a.id, a.created_at, a.modified_at, a.email, a.email_verified_at is not null as email_verified`,
}

export const verifyEmail = command(verifyEmailContract, async ({ user_id }, { em, read, now }) => {
  const account = await em.findOneOrFail(Account, user_id)
  account.emailVerifiedAt ??= now
  await em.flush()
  return read.one(accountView, { where: 'a.id = :id', values: { id: user_id } })
})
