import { resetPassword as contract } from '@quittance/contracts/passwords'
import { ResourceNotFound } from '@quittance/contracts/errors'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { systemCommand } from '@quittance/runtime/system-handler'
import { config } from '../config.ts'
import { routes } from '../routes.ts'

/** How long a link with which a password is set is valid. */
export const resetLifetimeMinutes = 45

const find = `select id from accounts where lower(email) = lower(:email)`

/** One valid link per account: a new one replaces the last. */
const insert = `
  insert into password_resets (token_hash, account_id, removes_second_factors, expires_at)
  values (:hash, :account_id, :removes_second_factors, :expires_at)
  on conflict (account_id) do update set token_hash = excluded.token_hash, created_at = now(),
    removes_second_factors = excluded.removes_second_factors, expires_at = excluded.expires_at`

/**
 * Creates the link. Only this reply contains it: it is stored as a hash, and no event carries it: the operator has verified who asks.
 */
export const resetPassword = systemCommand(
  contract,
  { reason: 'finds an account by its e-mail address; accounts belong to no organization' },
  async ({ email, remove_second_factors }, { systemSql, now }) => {
    const [account] = await systemSql<{ id: string }>('password-reset.account', find, { email })
    if (!account) throw new ResourceNotFound('There is no account with this e-mail address.')
    const token = mintToken('qt_prt_')
    const expiresAt = new Date(now.getTime() + resetLifetimeMinutes * 60_000)
    await systemSql('password-reset.insert', insert, {
      hash: hashToken(token),
      account_id: account.id,
      removes_second_factors: remove_second_factors,
      expires_at: expiresAt,
    })
    const url = `${config().AUTH_URL}${routes.resetPassword}?${new URLSearchParams({ token })}`
    return { user_id: account.id, url, expires_at: expiresAt.toISOString() }
  },
)
