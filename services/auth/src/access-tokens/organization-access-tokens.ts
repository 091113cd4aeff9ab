import {
  createOrganizationAccessToken as createOrganizationAccessTokenContract,
  updateOrganizationAccessToken as updateOrganizationAccessTokenContract,
  revokeOrganizationAccessToken as revokeOrganizationAccessTokenContract,
  listOrganizationAccessTokens as listOrganizationAccessTokensContract,
} from '@quittance/contracts/access-tokens'
import { callerOrganizationIds } from '@quittance/contracts/caller'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { RequestValidationError, ResourceNotFound } from '@quittance/contracts/errors'
import { command, query } from '@quittance/runtime/handler'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { systemCommand } from '@quittance/runtime/system-handler'
import { isStillMember, requireUser } from '../identity/caller-checks.ts'
import { AccessToken, issueToken, parseExpiry } from './access-token.ts'
import { organizationAccessTokenView } from './access-token-view.ts'
import { tokenRevokedEventFor } from '../identity/token-revoked.ts'
import { toArray, nullable, buildSortOrder, buildWhere } from '@quittance/sql/list-query'
import type { Scope } from '@quittance/contracts/scopes'
import { z } from 'zod'

export const createOrganizationAccessToken = systemCommand(
  createOrganizationAccessTokenContract,
  { reason: 'reads the scopes of the token with which the user calls' },
  async (request, { em, caller, read, systemSql, now }) => {
    const { userId, tokenId } = requireUser(caller)
    const organizationId = resolveOrganization(caller, request.organization_id)
    if (!(await isStillMember(systemSql, { userId, tokenId, organizationId }))) {
      throw RequestValidationError.field(['organization_id'], 'Organization not found, or not one of this account.')
    }
    await assertGrantableScopes(request.scopes, { tokenId, systemSql })
    const { token, row } = issueToken({
      kind: 'organization',
      organizationId,
      organizationIds: null,
      accountId: userId,
      comment: request.comment,
      scopes: request.scopes,
      expiresAt: parseExpiry(request.expires_in ?? null, now),
    })
    const created = em.create(AccessToken, row)
    await em.flush()
    const view = await read.one(organizationAccessTokenView, { where: 't.id = :id', values: { id: created.id } })
    return { organization_access_token: JSON.parse(view), token }
  },
)

export const updateOrganizationAccessToken = systemCommand(
  updateOrganizationAccessTokenContract,
  { reason: 'reads the scopes of the token with which the user calls' },
  async ({ id, comment, scopes }, { em, caller, publish, read, systemSql }) => {
    const { userId, tokenId } = requireUser(caller)
    const token = await em.findOneOrFail(AccessToken, {
      id,
      kind: 'organization',
      organizationId: { $in: [...callerOrganizationIds(caller)] },
      revokedAt: null,
    })
    const organizationId = token.organizationId as string
    if (!(await isStillMember(systemSql, { userId, tokenId, organizationId }))) throw new ResourceNotFound()
    const added = (scopes ?? []).filter((scope) => !token.scopes.includes(scope))
    await assertGrantableScopes(added, { tokenId, systemSql })
    if (token.change({ comment, scopes })) publish(tokenRevokedEventFor(token))
    return read.one(organizationAccessTokenView, { where: 't.id = :id', values: { id } })
  },
)

export const revokeOrganizationAccessToken = command(
  revokeOrganizationAccessTokenContract,
  async ({ id }, { em, caller, now, publish }) => {
    requireUser(caller)
    const token = await em.findOneOrFail(AccessToken, {
      id,
      kind: 'organization',
      organizationId: { $in: [...callerOrganizationIds(caller)] },
    })
    if (token.revoke(now)) publish(tokenRevokedEventFor(token))
    return null
  },
)

const columns = {
  created_at: 't.created_at',
  comment: 't.comment',
  last_used_at: nullable('t.last_used_at'),
  organization_id: 't.organization_id',
}

export const listOrganizationAccessTokens = query(
  listOrganizationAccessTokensContract,
  ({ organization_id, sorting, page, limit }, { read }) => {
    const { where, values } = buildWhere({
      organization_id: { sql: 't.organization_id = any(:organization_id)', value: toArray(organization_id) },
    })
    return read.page(organizationAccessTokenView, {
      where: `t.revoked_at is null and ${where}`,
      values,
      orderBy: buildSortOrder(columns, { sorting, tieBreakers: ['t.created_at', 't.id'] }),
      page,
      limit,
    })
  },
)

interface Grantor {
  /** Id of the personal access token of the caller, or `operator`. */
  tokenId: string
  systemSql: SystemSql
}

const findScopes = `select scopes from access_tokens
  where id = :id and kind = 'personal' and revoked_at is null and (expires_at is null or expires_at > now())`

/**
 * Throws unless the credential of the caller has every requested scope. A credential that is not a personal access token, or no longer valid,
 * has none to grant.
 */
export async function assertGrantableScopes(requested: readonly Scope[], { tokenId, systemSql }: Grantor): Promise<void> {
  if (tokenId === 'operator') return
  const [own] = z.uuid().safeParse(tokenId).success
    ? await systemSql<{ scopes: string[] }>('token.scopes', findScopes, { id: tokenId })
    : []
  const excess = requested.filter((scope) => !own?.scopes.includes(scope))
  if (excess.length === 0) return
  throw RequestValidationError.field(['scopes'], `Your credential does not have ${excess.join(', ')}.`)
}
