import { scopes as known } from '@quittance/contracts/scopes'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'

const knownScopes: ReadonlySet<string> = new Set(known)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/**
 * Parameters of our own at the authorization endpoint, also inside a pushed request: `sub_type` (`user` or `organization`) and
 * `organization_id` (preselects; `sub` is its older name). Checked once a redirect URI is known to be the client's.
 */
export const extraParameters = {
  sub_type(ctx: KoaContextWithOIDC, value: string | undefined) {
    refuseUnkeepable(ctx)
    refuseScopes(ctx)
    if (value !== undefined && value !== 'user' && value !== 'organization') throw new errors.InvalidRequest('invalid sub_type')
  },
  organization_id: refuseOrganization,
  sub: refuseOrganization,
}

function refuseOrganization({ oidc }: KoaContextWithOIDC, value: string | undefined): void {
  if (value === undefined) return
  if (oidc.params?.['sub_type'] === 'user') throw new errors.InvalidRequest('an organization cannot be given with sub_type=user')
  if (!uuid.test(value)) throw new errors.InvalidRequest('organization_id must be the id of an organization')
}

/**
 * The library passes over scopes it does not know, and lets a request without any go on to the sign-in page. By the time it asks
 * us, it has dropped the unknown ones from its own list: what was sent is read again. A pushed request was checked when it was pushed.
 */
function refuseScopes(ctx: KoaContextWithOIDC): void {
  const { oidc } = ctx
  if (oidc.entities.PushedAuthorizationRequest) return
  const sent = (ctx.method === 'POST' ? oidc.body : ctx.query)?.['scope']
  const asked = typeof sent === 'string' ? sent.split(' ').filter(Boolean) : []
  if (asked.length === 0) throw new errors.InvalidRequest('missing required parameter "scope"')
  const unknown = asked.filter((scope) => !knownScopes.has(scope))
  if (unknown.length > 0) throw new errors.InvalidScope('requested scope is not known', unknown.join(' '))
}

/** PostgreSQL keeps no NUL; a gateway refuses it in addresses, but a pushed request has a body. */
function refuseUnkeepable({ oidc }: KoaContextWithOIDC): void {
  const unkeepable = Object.entries(oidc.params ?? {}).find(([, value]) => typeof value === 'string' && value.includes('\0'))
  if (unkeepable) throw new errors.InvalidRequest(`${unkeepable[0]} must not contain NUL`)
}
