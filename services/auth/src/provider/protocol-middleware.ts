import { isTransientDatabaseError } from '@quittance/runtime/unavailable'
import type { SystemSql } from '@quittance/sql/sql-runner'
import type { Logger } from '@quittance/runtime/logger'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { pageHeaders } from '../pages/layout.ts'
import { renderSignOutForm } from '../pages/provider-pages.ts'
import { renderAuthorizationError } from '../pages/authorization-error-page.ts'
import { commitTokenRequest } from './commit-token-request.ts'
import { discoveryDocument, type PublicAddresses } from './discovery.ts'
import type { JwtAccessTokens } from './jwt-access-tokens.ts'
import { canRedirectError } from './open-redirects.ts'
import { routes } from '../routes.ts'
import { beginUnitOfWork } from './unit-of-work.ts'

type Next = () => Promise<void>
type Context = KoaContextWithOIDC

interface ProtocolOptions extends PublicAddresses {
  systemSql: SystemSql
  jwtAccessTokens: JwtAccessTokens
  hasClientDocuments: () => boolean
  log: Logger
}

/** Wraps the library: a unit of work for token requests, and replies in the format of the public contract. */
export function addProtocolMiddleware(
  provider: Provider,
  { systemSql, log, jwtAccessTokens, hasClientDocuments, ...addresses }: ProtocolOptions,
): void {
  provider.on('server_error', (ctx: Context, error: Error) => {
    ctx.state['failure'] = error
    log.error({ err: error, path: ctx.path }, 'provider.failed')
  })
  provider.on('authorization.error', (ctx: Context) => {
    ctx.state['isError'] = true
  })
  // Without a listener Koa prints the error.
  ;(provider as NodeJS.EventEmitter).on('error', (error: Error) => log.error({ err: error }, 'provider.failed'))
  provider.use(async (ctx, next) => {
    const context = ctx as unknown as Context
    if (isApiPath(context.path)) await handleApiRequest(context, next)
    else await handleBrowserRequest(context, next, systemSql)
  })

  async function handleApiRequest(ctx: Context, next: Next): Promise<void> {
    // These endpoints reply with JSON regardless of the Accept header.
    ctx.req.headers.accept = 'application/json'
    const unit = beginUnitOfWork(ctx.state, { startedAt: ctx.path === routes.token ? performance.now() : null, address: ctx.ip })
    await next()
    if (ctx.path.startsWith('/.well-known/')) return publish(ctx, { ...addresses, hasClientDocuments: hasClientDocuments() })
    if (isJwtRequest(ctx)) await handleJwtRequest(ctx).catch((error: unknown) => fail(ctx, error))
    if (ctx.status === 200 && ctx.path === routes.token) {
      if (unit.needsProof && !ctx.oidc.entities.AccessToken?.isSenderConstrained()) {
        sendError(ctx, { status: 400, error: 'invalid_grant', error_description: 'DPoP proof JWT not provided' })
        return correct(ctx)
      }
      const written = await commitTokenRequest(unit, systemSql).catch((error: unknown) => fail(ctx, error))
      if (written === false) sendError(ctx, { status: 400, error: 'invalid_grant', error_description: 'grant request is invalid' })
    }
    correct(ctx)
  }

  /** Runs after the library has authenticated the client and parsed the form. */
  async function handleJwtRequest(ctx: Context): Promise<void> {
    const token = String(ctx.oidc.params?.['token'])
    const clientId = ctx.oidc.client?.clientId ?? ''
    const answer =
      ctx.path === routes.revocation ? await jwtAccessTokens.revoke(token, clientId) : await jwtAccessTokens.introspect(token, clientId)
    ctx.status = 200
    ctx.body = answer ?? {}
  }

  function fail(ctx: Context, error: unknown): null {
    ctx.app.emit('server_error', ctx, error)
    sendError(ctx, { status: 500, error: 'server_error', error_description: 'oops! something went wrong' })
    return null
  }
}

/** Returns whether the token is a JWT at an endpoint where the library accepts only tokens that it stores. */
function isJwtRequest(ctx: Context): boolean {
  const isTaken = ctx.path === routes.revocation || ctx.path === routes.introspection
  const { error } = (ctx.body ?? {}) as { error?: unknown }
  return isTaken && error === 'unsupported_token_type' && ctx.oidc.client !== undefined
}

function isApiPath(path: string): boolean {
  return path.startsWith('/v1/') || path.startsWith('/.well-known/')
}

async function handleBrowserRequest(ctx: Context, next: Next, systemSql: SystemSql): Promise<void> {
  ctx.set(libraryPageHeaders())
  rejectOtherResponseModes(ctx)
  await next()
  // To end a session, the library shows a page that is blank without scripts.
  if (typeof ctx.body === 'string' && ctx.body.includes('<title>Submitting Callback</title>') && ctx.body.includes('name="xsrf"')) {
    renderSignOutForm(ctx)
  }
  if (ctx.status === 500 && isTransientDatabaseError(ctx.state['failure'])) {
    ctx.status = 503
    ctx.set('retry-after', '1')
  }
  // The error for `response_type=token` would be in the fragment; this server returns everything in the query.
  const location = ctx.response.get('location') as string | undefined
  if (location?.includes('#error=')) {
    const [address, fragment] = location.split('#') as [string, string]
    ctx.set('location', `${address}${address.includes('?') ? '&' : '?'}${fragment}`)
  }
  if (ctx.state['isError'] && location && !(await canRedirectError(ctx, systemSql)))
    renderAuthorizationError(ctx, ctx.response.get('location'))
}

/**
 * The metadata announces `query` only. The library reports an unknown mode in the query, but a known one in that mode; so every other mode
 * is made unknown.
 */
function rejectOtherResponseModes(ctx: Context): void {
  const requested = ctx.query['response_mode']
  if (ctx.path !== routes.authorization || typeof requested !== 'string' || requested === 'query') return
  ctx.query = { ...ctx.query, response_mode: `${requested} (not supported)` }
}

/** Returns headers for the pages of the library, which sets none; its scripts are allowed by their hashes. */
function libraryPageHeaders(): Record<string, string> {
  const { 'content-type': _, ...rest } = pageHeaders()
  return rest
}

interface OAuthError {
  status: number
  error: string
  error_description?: string
}

function sendError(ctx: Context, { status, ...body }: OAuthError): void {
  ctx.status = status
  ctx.body = body
}

/** Corrects replies of the library that the RFC or the public contract does not allow. */
function correct(ctx: Context): void {
  // RFC 7009 §2.2 lets clients ignore the body; generated clients parse JSON.
  if (ctx.status === 200 && ctx.path === routes.revocation) ctx.body = {}
  const body = ctx.body as Record<string, unknown> | undefined
  if (typeof body?.['error'] !== 'string') return
  if (ctx.status >= 500 && isTransientDatabaseError(ctx.state['failure'])) {
    sendError(ctx, {
      status: 503,
      error: 'temporarily_unavailable',
      error_description: 'the database of the server is unavailable or busy',
    })
    ctx.set('retry-after', '1')
  } else if (lacksClient(ctx)) {
    // RFC 6749 §5.2: no client authentication included.
    sendError(ctx, { status: 401, error: 'invalid_client', error_description: 'no client authentication was included' })
    ctx.set('www-authenticate', `Basic realm="${ctx.oidc.provider.issuer}"`)
  } else if (mayNotUseGrant(ctx)) {
    sendError(ctx, { status: 400, error: 'unauthorized_client', error_description: 'the client may not use this grant type' })
  }
  // A client without a token gets two challenges, and may read only the one of its scheme (RFC 9728 §5.1).
  const challenges = [ctx.response.get('www-authenticate') as string | string[]].flat().filter(Boolean)
  if (ctx.path === routes.userinfo && challenges.length > 0) {
    const metadata = `resource_metadata="${ctx.oidc.provider.issuer}/.well-known/oauth-protected-resource"`
    ctx.set(
      'www-authenticate',
      challenges.map((challenge) => `${challenge}, ${metadata}`),
    )
  }
  const errorBody = ctx.body as Record<string, unknown>
  ctx.body = { ...errorBody, detail: errorBody['error_description'] ?? errorBody['error'] }
}

const authenticated: ReadonlySet<string> = new Set([
  routes.token,
  routes.revocation,
  routes.introspection,
  routes.pushed_authorization_request,
])

function lacksClient(ctx: Context): boolean {
  if (ctx.status !== 400 || !authenticated.has(ctx.path) || ctx.headers.authorization !== undefined) return false
  // The library has no value for a repeated parameter: that is another error, and its reply names it.
  const { client, params, body } = ctx.oidc
  return client === undefined && params !== undefined && body?.['client_id'] === undefined && body?.['client_assertion'] === undefined
}

function mayNotUseGrant(ctx: Context): boolean {
  const { client, params } = ctx.oidc
  const grantType = params?.['grant_type']
  return (
    ctx.path === routes.token &&
    client !== undefined &&
    (grantType === 'authorization_code' || grantType === 'refresh_token') &&
    !client.grantTypeAllowed(grantType)
  )
}

/** Discovery documents and keys: cacheable, and independent of the host and origin of the request. */
function publish(ctx: Context, addresses: Parameters<typeof discoveryDocument>[1]): void {
  if (ctx.status !== 200 || ctx.method !== 'GET') return
  if (ctx.path !== routes.jwks) ctx.body = discoveryDocument(ctx.body as Record<string, unknown>, addresses)
  ctx.set('cache-control', 'public, max-age=300')
  // The library echoes the origin, which would make a shared cache store one document per origin.
  ctx.set('access-control-allow-origin', '*')
  ctx.remove('vary')
}
