import { hkdfSync } from 'node:crypto'
import { scopes } from '@quittance/contracts/scopes'
import type { Rows } from '@quittance/runtime/handler'
import { errors, Provider, type Adapter, type Configuration, type JWK, type KoaContextWithOIDC } from 'oidc-provider'
import { renderErrorPage, renderSignOutPage, renderSignedOutPage } from '../pages/provider-pages.ts'
import { findAccountIn } from './account.ts'
import { extraParameters } from './extra-parameters.ts'
import { createInteractionPolicy } from './interaction-policy.ts'
import { adaptModels } from './models.ts'
import { loadGrantFrom } from './remembered-consent.ts'
import { routes } from './routes.ts'

/** What a provider is made of. Two replicas with the same give the same answers. */
export interface ProviderOptions {
  /** Issuer: the public address of the API, without a slash at the end. */
  baseUrl: string
  /** Undefined: the library's own, in the memory of this process. */
  adapter: ((model: string) => Adapter) | undefined
  rows: Rows
  signingKeys: JWK[]
  /** Newest first; cookies signed under an older one stay valid. */
  secrets: readonly Uint8Array[]
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Seconds. A refresh token lives 30 days after its last use, and no family longer than a year. */
const refreshIdle = 30 * day
const refreshFamily = 365 * day

/** The authorization server; all that was decided about it stands here. */
export function createProvider({ baseUrl, adapter, rows, signingKeys, secrets }: ProviderOptions): Provider {
  const secure = baseUrl.startsWith('https:')
  const cookies = { signed: true, httpOnly: true, sameSite: 'lax', path: '/' } as const
  const configuration: Configuration = {
    ...(adapter && { adapter: adapter as never }),
    jwks: { keys: signingKeys },
    routes,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic', 'none'],
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    scopes: [...scopes],
    claims: { openid: ['sub', 'sub_type', 'organization_id'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    extraParams: extraParameters,
    extraClientMetadata: { properties: ['is_trusted'] },
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256', 'ES256'],
      dPoPSigningAlgValues: ['ES256', 'RS256', 'EdDSA', 'Ed25519'],
    },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: ownTokensOnly },
      introspection: { enabled: true, allowedPolicy: ownTokensOnly },
      dPoP: { enabled: true, nonceSecret: derive(secrets[0], 'dpop nonce'), requireNonce: () => false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined as never,
        useGrantedResource: () => false,
        getResourceServerInfo: (_ctx, resource) => resourceServer(resource, baseUrl),
      },
      rpInitiatedLogout: { enabled: true, logoutSource: renderSignOutPage, postLogoutSuccessSource: renderSignedOutPage },
    },
    cookies: {
      keys: secrets.map((secret) => derive(secret, 'cookies').toString('base64')),
      names: {
        session: secure ? '__Host-qt_session' : 'qt_session',
        interaction: 'qt_interaction',
        resume: 'qt_resume',
      },
      long: cookies,
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    ttl: {
      AccessToken: hour,
      AuthorizationCode: minute,
      Grant: refreshFamily + day,
      IdToken: hour,
      Interaction: 10 * minute,
      Session: 14 * day,
      RefreshToken: (_ctx, token) => Math.max(1, Math.min(refreshIdle, refreshFamily - token.totalLifetime())),
    },
    interactions: { policy: createInteractionPolicy(), url: (_ctx, { uid }) => `${routes.interaction}/${uid}` },
    findAccount: findAccountIn(rows),
    loadExistingGrant: loadGrantFrom(rows),
    extraTokenClaims: boundTo,
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === 'none' && (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    renderError: renderErrorPage,
    // Refuses nothing of ours, which is filtered by expiry in the database; forgives clients whose clock runs ahead.
    clockTolerance: 5,
  }
  const provider = new Provider(baseUrl, configuration)
  provider.proxy = true
  adaptModels(provider)
  return provider
}

/** A key of its own for each use of the one secret. */
function derive(secret: Uint8Array | undefined, use: string): Buffer {
  if (!secret) throw new Error('SECRETS_KEY holds no key')
  return Buffer.from(hkdfSync('sha256', secret, '', `quittance auth: ${use}`, 32))
}

/** A client sees its own tokens and nobody else's. */
function ownTokensOnly(_ctx: KoaContextWithOIDC, client: { clientId: string }, token: { clientId?: string | undefined }): boolean {
  return token.clientId === client.clientId
}

/** The API is the one resource: asked for by its address, the access token is a JWT (RFC 9068). */
function resourceServer(resource: string, baseUrl: string) {
  if (resource.replace(/\/+$/, '') !== baseUrl) throw new errors.InvalidTarget('there is no such resource')
  return {
    scope: scopes.filter((scope) => scope !== 'openid').join(' '),
    audience: baseUrl,
    accessTokenTTL: hour,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'ES256' as const } },
  }
}

/** For whom a token acts, told at introspection and in JWT access tokens; those also name their grant, by which they can be revoked. */
function boundTo(ctx: KoaContextWithOIDC | undefined, token: { resourceServer?: unknown; grantId?: string }) {
  const grant = ctx?.oidc.entities.Grant as { subType?: string; organizationId?: string } | undefined
  return {
    sub_type: grant?.subType,
    ...(grant?.organizationId && { organization_id: grant.organizationId }),
    ...(token.resourceServer !== undefined && { grant_id: token.grantId }),
  }
}
