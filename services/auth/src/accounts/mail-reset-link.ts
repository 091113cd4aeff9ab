import { randomUUID } from 'node:crypto'
import { mailSecretContext } from '@quittance/contracts/customer-codes'
import { accountMailRequested } from '@quittance/contracts/invitations'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { sealSecret } from '@quittance/runtime/encryption'
import type { SystemTransaction } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { routes } from '../routes.ts'
import { resetLifetimeMinutes } from './reset-password.ts'

/** A link of the operator that removes second factors stays: a stranger who knows the address could replace it. */
const insert = `
  insert into password_resets (token_hash, account_id, removes_second_factors, expires_at)
  select :hash, id, false, :expires_at::timestamptz from accounts where lower(email) = lower(:email)
  on conflict (account_id) do update set token_hash = excluded.token_hash, created_at = now(), removes_second_factors = false,
    expires_at = excluded.expires_at
  where not (password_resets.removes_second_factors and password_resets.expires_at > now())
  returning (select email from accounts where id = password_resets.account_id) as email`

/**
 * Creates a one-time link and has it mailed. Does the same work for an unknown address, whose event has no recipient, so that the time of the
 * reply does not show which accounts exist.
 */
export async function mailResetLink(
  email: string,
  { systemSql, publish, now }: Pick<SystemTransaction, 'systemSql' | 'publish' | 'now'>,
): Promise<void> {
  const keys = config().MAIL_KEY
  if (!keys) throw new Error('Links are mailed with MAIL_KEY only')
  const token = mintToken('qt_prt_')
  const expiresAt = new Date(now.getTime() + resetLifetimeMinutes * 60_000)
  const [account] = await systemSql<{ email: string }>('password-reset.insert-mailed', insert, {
    hash: hashToken(token),
    email,
    expires_at: expiresAt,
  })
  const id = randomUUID()
  const url = `${config().AUTH_URL}${routes.resetPassword}?${new URLSearchParams({ token })}`
  publish({
    event: accountMailRequested,
    aggregateId: id,
    organizationId: null,
    payload: {
      kind: 'password_reset',
      source_id: id,
      recipient: account?.email ?? null,
      locale: null,
      expires_at: expiresAt.toISOString(),
      sealed_url: sealSecret(url, { keys, context: mailSecretContext('password_reset', id) }),
    },
  })
}
