import { isUnavailable } from '@quittance/runtime/respond'
import type { Rows } from '@quittance/runtime/handler'
import type { Logger } from '@quittance/runtime/log'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { formTarget, pageHeaders } from '../pages/layout.ts'
import { commit } from './commit.ts'
import { discoveryDocument, type PublicAddresses } from './discovery.ts'
import { routes } from './routes.ts'
import { beginUnitOfWork } from './unit-of-work.ts'

type Next = () => Promise<void>
type Context = KoaContextWithOIDC

interface AnswerOptions extends PublicAddresses {
  rows: Rows
  log: Logger
}

/** What surrounds the library: a unit of work for token requests, and answers as the public contract has them. */
export function surround(provider: Provider, { rows, log, ...addresses }: AnswerOptions): void {
  provider.on('server_error', (ctx: Context, error: Error) => {
    ctx.state['failure'] = error
    log.error({ err: error, path: ctx.path }, 'provider.failed')
  })
  // Koa would print it.
  ;(provider as NodeJS.EventEmitter).on('error', (error: Error) => log.error({ err: error }, 'provider.failed'))
  provider.use(async (ctx, next) => {
    const context = ctx as unknown as Context
    if (isMachine(context.path)) await answerMachine(context, next)
    else await answerBrowser(context, next)
  })

  async function answerMachine(ctx: Context, next: Next): Promise<void> {
    // Whatever a browser-like client says it accepts, the answer of these endpoints is JSON.
    ctx.req.headers.accept = 'application/json'
    const unit = beginUnitOfWork(ctx.state, { startedAt: ctx.path === routes.token ? Date.now() : null })
    await next()
    if (ctx.path.startsWith('/.well-known/')) return publish(ctx, addresses)
    if (ctx.status === 200 && ctx.path === routes.token) {
      if (unit.needsProof && !ctx.oidc.entities.AccessToken?.isSenderConstrained()) {
        refuse(ctx, { status: 400, error: 'invalid_grant', error_description: 'DPoP proof JWT not provided' })
        return correct(ctx)
      }
      const written = await commit(unit, rows).catch((error: unknown) => fail(ctx, error))
      if (written === false) refuse(ctx, { status: 400, error: 'invalid_grant', error_description: 'grant request is invalid' })
    }
    correct(ctx)
  }

  function fail(ctx: Context, error: unknown): null {
    ctx.app.emit('server_error', ctx, error)
    refuse(ctx, { status: 500, error: 'server_error', error_description: 'oops! something went wrong' })
    return null
  }
}

function isMachine(path: string): boolean {
  return path.startsWith('/v1/') || path.startsWith('/.well-known/')
}

async function answerBrowser(ctx: Context, next: Next): Promise<void> {
  ctx.set(guards())
  await next()
  // Another account signed in: the library signs the first one out by a form of its own, which ends at the client too.
  const interaction = ctx.oidc?.entities.Interaction
  if (interaction && ctx.type === 'text/html') {
    const policy = ctx.response.get('content-security-policy')
    ctx.set(
      'content-security-policy',
      policy.replace(`form-action 'self'`, [`form-action 'self'`, ...formTarget(interaction.params['redirect_uri'])].join(' ')),
    )
  }
  if (ctx.status === 500 && isUnavailable(ctx.state['failure'])) {
    ctx.status = 503
    ctx.set('retry-after', '1')
  }
  // An error for `response_type=token` would go to the fragment; every answer of ours is in the query.
  const location = ctx.response.get('location') as string | undefined
  if (location?.includes('#error=')) {
    const [address, fragment] = location.split('#') as [string, string]
    ctx.set('location', `${address}${address.includes('?') ? '&' : '?'}${fragment}`)
  }
}

/** For pages of the library, which brings none; its scripts are allowed by their hashes. */
function guards(): Record<string, string> {
  const { 'content-type': _, ...rest } = pageHeaders()
  return rest
}

interface OAuthError {
  status: number
  error: string
  error_description?: string
}

function refuse(ctx: Context, { status, ...body }: OAuthError): void {
  ctx.status = status
  ctx.body = body
}

/** Where the library's answer is less than the RFC or the public contract asks for. */
function correct(ctx: Context): void {
  // RFC 7009 §2.2 lets clients ignore the body; generated ones read JSON.
  if (ctx.status === 200 && ctx.path === routes.revocation) ctx.body = {}
  const body = ctx.body as Record<string, unknown> | undefined
  if (typeof body?.['error'] !== 'string') return
  if (ctx.status >= 500 && isUnavailable(ctx.state['failure'])) {
    refuse(ctx, { status: 503, error: 'temporarily_unavailable', error_description: 'the server cannot reach its database right now' })
    ctx.set('retry-after', '1')
  } else if (lacksClient(ctx)) {
    // RFC 6749 §5.2: no client authentication included.
    refuse(ctx, { status: 401, error: 'invalid_client', error_description: 'no client authentication was included' })
    ctx.set('www-authenticate', `Basic realm="${ctx.oidc.provider.issuer}"`)
  } else if (mayNotUseGrant(ctx)) {
    refuse(ctx, { status: 400, error: 'unauthorized_client', error_description: 'the client may not use this grant type' })
  }
  const challenge = ctx.response.get('www-authenticate') as string | undefined
  if (ctx.path === routes.userinfo && challenge) {
    ctx.set('www-authenticate', `${challenge}, resource_metadata="${ctx.oidc.provider.issuer}/.well-known/oauth-protected-resource"`)
  }
  const answered = ctx.body as Record<string, unknown>
  ctx.body = { ...answered, detail: answered['error_description'] ?? answered['error'] }
}

const authenticated: ReadonlySet<string> = new Set([
  routes.token,
  routes.revocation,
  routes.introspection,
  routes.pushed_authorization_request,
])

function lacksClient(ctx: Context): boolean {
  if (ctx.status !== 400 || !authenticated.has(ctx.path) || ctx.headers.authorization !== undefined) return false
  // Of what was sent twice the library has no value: that is another fault, and its answer names it.
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

/** Discovery documents and keys: cacheable, and the same whatever address or web page the request came from. */
function publish(ctx: Context, addresses: PublicAddresses): void {
  if (ctx.status !== 200 || ctx.method !== 'GET') return
  if (ctx.path !== routes.jwks) ctx.body = discoveryDocument(ctx.body as Record<string, unknown>, addresses)
  ctx.set('cache-control', 'public, max-age=300')
  // The library repeats the origin, which would make a shared cache keep one document per web page.
  ctx.set('access-control-allow-origin', '*')
  ctx.remove('vary')
}
