import { scopes } from '@quittance/contracts/scopes'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { hkdfSync } from 'node:crypto'
import { errors, Provider, type Adapter, type Configuration, type JWK, type KoaContextWithOIDC, interactionPolicy } from 'oidc-provider'
import { renderErrorPage, renderSignOutPage, renderSignedOutPage } from '../pages/provider-pages.ts'
import { isRegisteredOrigin } from '../clients/client-metadata.ts'
import { toProviderKeys } from '../keys/signing-keys.ts'
import { routes } from '../routes.ts'
import { createLoadGrant } from './consent-store.ts'
import { extraParameters } from './extra-parameters.ts'
import { createFindAccount } from './find-account.ts'
import { customizeModels } from './models.ts'

/** Options of a provider. Two replicas with the same options return the same replies. */
export interface ProviderOptions {
  /** Issuer: the public URL of the API, without a trailing slash. */
  baseUrl: string
  /** Undefined: the library's own adapter, in the memory of this process. */
  adapter: ((model: string) => Adapter) | undefined
  systemSql: SystemSql
  /** Those without a private part only verify. */
  signingKeys: readonly JWK[]
  /** Newest first; cookies signed under an older one stay valid. */
  secrets: readonly Uint8Array[]
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Seconds. A refresh token lives 30 days after its last use, and no family longer than a year. */
const refreshIdle = 30 * day
const refreshFamily = 365 * day

/** Creates the authorization server. */
export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.baseUrl, { ...createProtocolConfiguration(options), ...createHooks(options) })
  provider.proxy = true
  customizeModels(provider)
  return provider
}

/** Configuration of clients, tokens and cookies. */
function createProtocolConfiguration({ baseUrl, adapter, signingKeys, secrets }: ProviderOptions): Configuration {
  return {
    ...(adapter && { adapter: adapter as never }),
    jwks: { keys: toProviderKeys(signingKeys) },
    routes,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic', 'none'],
    scopes: [...scopes],
    // How and when the user signed in (OpenID Connect Core §2); `phr`: with a passkey (OpenID Connect EAP ACR Values 1.0).
    acrValues: ['phr'],
    claims: { openid: ['sub', 'sub_type', 'organization_id', 'name', 'auth_time', 'acr', 'amr'], email: ['email', 'email_verified'] },
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
      // For retired keys, which have no private part.
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      rpInitiatedLogout: { enabled: true, logoutSource: renderSignOutPage, postLogoutSuccessSource: renderSignedOutPage },
    },
    cookies: createCookies(baseUrl, secrets),
    ttl: {
      AccessToken: hour,
      AuthorizationCode: minute,
      Grant: refreshFamily + day,
      IdToken: hour,
      Interaction: 10 * minute,
      // The library stores one for every visitor of the sign-out page; it lives as long as an interaction.
      Session: (_ctx, session) => (session.accountId ? 14 * day : 10 * minute),
      RefreshToken: (_ctx, token) => Math.max(1, Math.min(refreshIdle, refreshFamily - token.totalLifetime())),
    },
    // Tolerates clients whose clock is ahead. Does not extend stored tokens: the database filters them by expiry.
    clockTolerance: 5,
  }
}

function createCookies(baseUrl: string, secrets: readonly Uint8Array[]): Configuration['cookies'] {
  const isSecure = baseUrl.startsWith('https:')
  return {
    keys: secrets.map((secret) => derive(secret, 'cookies').toString('base64')),
    names: {
      session: isSecure ? '__Host-qt_session' : 'qt_session',
      interaction: 'qt_interaction',
      resume: 'qt_resume',
    },
    long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/' },
    short: { signed: true, httpOnly: true, sameSite: 'lax' },
  }
}

/** Decisions that the library asks for during a request. */
function createHooks({ systemSql }: ProviderOptions): Configuration {
  return {
    interactions: { policy: createInteractionPolicy(), url: (_ctx, { uid }) => `${routes.interaction}/${uid}` },
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    findAccount: createFindAccount(systemSql),
    loadExistingGrant: createLoadGrant(systemSql),
    extraTokenClaims: getSubjectClaims,
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    clientBasedCORS: (_ctx, origin, client) => client.clientAuthMethod === 'none' && isRegisteredOrigin(origin, client.redirectUris ?? []),
    renderError: renderErrorPage,
  }
}

/** Derives a separate key for each use of the one secret. */
function derive(secret: Uint8Array | undefined, use: string): Buffer {
  if (!secret) throw new Error('SECRETS_KEY holds no key')
  return Buffer.from(hkdfSync('sha256', secret, '', `quittance auth: ${use}`, 32))
}

/** A client sees only its own tokens. */
function ownTokensOnly(_ctx: KoaContextWithOIDC, client: { clientId: string }, token: { clientId?: string | undefined }): boolean {
  return token.clientId === client.clientId
}

/** The API is the only resource: if a client requests it by its URL, the access token is a JWT (RFC 9068). */
function resourceServer(resource: string, baseUrl: string) {
  if (resource.replace(/\/+$/, '') !== baseUrl) throw new errors.InvalidTarget('the requested resource is unknown')
  return {
    scope: scopes.filter((scope) => scope !== 'openid').join(' '),
    audience: baseUrl,
    accessTokenTTL: hour,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'ES256' as const } },
  }
}

/**
 * Returns the claims for the subject of a token, used at introspection and in JWT access tokens; those also name their grant, by which they
 * can be revoked.
 */
function getSubjectClaims(ctx: KoaContextWithOIDC | undefined, token: { resourceServer?: unknown; grantId?: string }) {
  const grant = ctx?.oidc.entities.Grant as { subType?: string; organizationId?: string } | undefined
  return {
    sub_type: grant?.subType,
    ...(grant?.organizationId && { organization_id: grant.organizationId }),
    ...(token.resourceServer !== undefined && { grant_id: token.grantId }),
  }
}

const { Check, Prompt, base } = interactionPolicy

/**
 * Adds to the library's prompts `select_account` (OpenID Connect Core §3.1.2.1), after the sign-in, which answers it too, and one more reason
 * for the consent page: no organization has been chosen. One page handles both. With `prompt=none` the error of that is
 * `account_selection_required` (§3.1.2.6).
 */
function createInteractionPolicy() {
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 1)
  policy
    .get('consent')
    ?.checks.add(new Check('organization_missing', 'no organization was selected', 'account_selection_required', lacksOrganization))
  return policy
}

function lacksOrganization({ oidc }: KoaContextWithOIDC): boolean {
  if (oidc.params?.['sub_type'] === 'user') return Check.NO_NEED_TO_PROMPT
  const { organizationId } = (oidc.entities.Grant ?? {}) as { organizationId?: string }
  return organizationId ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT
}
