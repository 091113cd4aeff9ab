import { scopes as known } from '@quittance/contracts/scopes'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { assertShortQuery } from './assert-short-query.ts'

const knownScopes: ReadonlySet<string> = new Set(known)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/**
 * Additional parameters of the authorization endpoint, also inside a pushed request: `sub_type` (`user` or `organization`) and
 * `organization_id` (preselects; `sub` is its older name). Checked once the redirect URI is known to be valid for the client.
 */
export const extraParameters = {
  sub_type(ctx: KoaContextWithOIDC, value: string | undefined) {
    assertNoNul(ctx)
    assertShortState(ctx)
    assertResponseMode(ctx)
    assertScopes(ctx)
    if (value !== undefined && value !== 'user' && value !== 'organization') throw new errors.InvalidRequest('invalid sub_type')
  },
  organization_id: assertOrganizationId,
  sub: assertOrganizationId,
}

/** The authorization endpoint checks the mode only in the query; the mode of a pushed request must be checked here. */
function assertResponseMode({ oidc }: KoaContextWithOIDC): void {
  const mode = oidc.params?.['response_mode']
  if (mode !== undefined && mode !== 'query') throw new errors.UnsupportedResponseMode()
}

function assertOrganizationId({ oidc }: KoaContextWithOIDC, value: string | undefined): void {
  if (value === undefined) return
  if (oidc.params?.['sub_type'] === 'user') throw new errors.InvalidRequest('an organization cannot be combined with sub_type=user')
  if (!uuid.test(value)) throw new errors.InvalidRequest('organization_id must be the id of an organization')
}

/**
 * The library ignores unknown scopes and continues to the sign-in page without any. When it calls this check, its own list no longer
 * contains the unknown ones, so the check reads the request parameter again. A pushed request was checked when it was pushed.
 */
function assertScopes(ctx: KoaContextWithOIDC): void {
  const { oidc } = ctx
  if (oidc.entities.PushedAuthorizationRequest) return
  const sent = (ctx.method === 'POST' ? oidc.body : ctx.query)?.['scope']
  const requested = typeof sent === 'string' ? sent.split(' ').filter(Boolean) : []
  if (requested.length === 0) throw new errors.InvalidRequest('missing required parameter "scope"')
  const unknown = requested.filter((scope) => !knownScopes.has(scope))
  if (unknown.length > 0) throw new errors.InvalidScope('the requested scope is unknown', unknown.join(' '))
}

/** A pushed request has no query, but its state returns in one. */
function assertShortState({ oidc }: KoaContextWithOIDC): void {
  const { redirect_uri, state } = oidc.params ?? {}
  assertShortQuery(new URLSearchParams({ redirect_uri: String(redirect_uri), state: String(state) }).toString())
}

/** PostgreSQL cannot store NUL; the gateway rejects it in URLs, but a pushed request has a body. */
function assertNoNul({ oidc }: KoaContextWithOIDC): void {
  const withNul = Object.entries(oidc.params ?? {}).find(([, value]) => typeof value === 'string' && value.includes('\0'))
  if (withNul) throw new errors.InvalidRequest(`${withNul[0]} must not contain NUL`)
}
