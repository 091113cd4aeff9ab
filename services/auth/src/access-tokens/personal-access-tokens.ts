import {
  createPersonalAccessToken as createPersonalAccessTokenContract,
  listPersonalAccessTokens as listPersonalAccessTokensContract,
  revokePersonalAccessToken as revokePersonalAccessTokenContract,
} from '@quittance/contracts/access-tokens'
import { RequestValidationError, NotPermitted } from '@quittance/contracts/errors'
import { command, query } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { systemCommand } from '@quittance/runtime/system-handler'
import { Account } from '../identity/account.ts'
import { AccessToken, issueToken, parseExpiry } from './access-token.ts'
import { nullable, buildSortOrder } from '@quittance/sql/list-query'
import { personalAccessTokenView } from './access-token-view.ts'
import { requireUser } from '../identity/caller-checks.ts'
import { tokenRevokedEventFor } from '../identity/token-revoked.ts'

export const createPersonalAccessToken = systemCommand(
  createPersonalAccessTokenContract,
  { reason: 'the operator creates tokens for any account and its organizations' },
  async ({ user_id, comment, scopes, expires_in, organization_ids }, { em, now, systemSql }) => {
    if (!(await em.findOne(Account, user_id))) throw RequestValidationError.field(['user_id'], 'Account not found.')
    const organizationIds = organization_ids ? [...new Set(organization_ids)] : null
    if (organizationIds) await assertMemberships(systemSql, { accountId: user_id, organizationIds })
    const { token, row } = issueToken({
      kind: 'personal',
      organizationId: null,
      organizationIds,
      accountId: user_id,
      comment,
      scopes,
      expiresAt: parseExpiry(expires_in ?? null, now),
    })
    const created = em.create(AccessToken, row)
    await em.flush()
    return { id: created.id, token, organization_ids: organizationIds }
  },
)

/** Locks the memberships until the token is committed, so that a membership that ends now also leaves the token. */
const findMemberships = `select organization_id from members
  where account_id = :account_id and organization_id = any(:organization_ids::uuid[]) for key share`

/** Throws `RequestValidationError` unless the account is a member of every organization. */
async function assertMemberships(
  systemSql: SystemSql,
  { accountId, organizationIds }: { accountId: string; organizationIds: string[] },
): Promise<void> {
  const found = await systemSql('member.of-account', findMemberships, { account_id: accountId, organization_ids: organizationIds })
  if (found.length === organizationIds.length) return
  throw RequestValidationError.field(['organization_ids'], 'The account is not a member of each of these organizations.')
}

const columns = { created_at: 't.created_at', comment: 't.comment', last_used_at: nullable('t.last_used_at') }

export const listPersonalAccessTokens = query(listPersonalAccessTokensContract, ({ sorting, page, limit }, { caller, read }) => {
  if (caller.kind !== 'user') throw new NotPermitted('This credential does not belong to a user.')
  return read.page(personalAccessTokenView, {
    where: `t.kind = 'personal' and t.account_id = :account_id and t.revoked_at is null`,
    values: { account_id: caller.user_id },
    orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['t.created_at', 't.id'] }),
    page,
    limit,
  })
})

export const revokePersonalAccessToken = command(revokePersonalAccessTokenContract, async ({ id }, { em, caller, now, publish }) => {
  const { userId } = requireUser(caller)
  const token = await em.findOneOrFail(AccessToken, { id, kind: 'personal', accountId: userId })
  if (token.revoke(now)) publish(tokenRevokedEventFor(token))
  return null
})
