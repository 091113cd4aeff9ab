import { isLoopback } from '@quittance/contracts/return-url'
import type { registerClient } from '@quittance/contracts/clients'
import { InvalidClientMetadata, InvalidRedirectUri } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { scopes as allScopes, type Scope } from '@quittance/contracts/scopes'
import type { ClientConfiguration } from './client.ts'

/** Validates client metadata by RFC 7591 §2 and the rules of this server, and converts it to a client configuration. */
export function readClientMetadata(metadata: RequestOf<typeof registerClient>): ClientConfiguration {
  assertAllowedRedirectUris([...metadata.redirect_uris, ...metadata.post_logout_redirect_uris], {
    isPublic: metadata.token_endpoint_auth_method === 'none',
  })
  const grantTypes = [...new Set(metadata.grant_types)]
  if (!grantTypes.includes('authorization_code')) {
    throw new InvalidClientMetadata('grant_types: refresh_token requires authorization_code.')
  }
  return {
    name: metadata.client_name ?? deriveName(metadata),
    redirectUris: metadata.redirect_uris,
    postLogoutRedirectUris: metadata.post_logout_redirect_uris,
    tokenEndpointAuthMethod: metadata.token_endpoint_auth_method,
    grantTypes,
    scopes: readScope(metadata.scope),
    clientUri: page('client_uri', metadata.client_uri),
    logoUri: page('logo_uri', metadata.logo_uri),
    tosUri: page('tos_uri', metadata.tos_uri),
    policyUri: page('policy_uri', metadata.policy_uri),
    idTokenSignedResponseAlg: metadata.id_token_signed_response_alg,
    dpopBoundAccessTokens: metadata.dpop_bound_access_tokens,
  }
}

/** Returns the default name (RFC 7591 §2): the host of its home page, or of its first redirect URI. */
function deriveName({ client_uri, redirect_uris }: RequestOf<typeof registerClient>): string {
  const home = URL.parse(client_uri ?? '') ?? URL.parse(redirect_uris[0] ?? '')
  return (home?.hostname || home?.protocol.slice(0, -1) || 'Application').slice(0, 200)
}

/** Throws `InvalidRedirectUri` for the first URI to which browsers must not be redirected. */
export function assertAllowedRedirectUris(uris: readonly string[], { isPublic }: { isPublic: boolean }): void {
  const isNative = uris.some(isPrivateUseUri)
  const forbidden = uris.find((uri) => !isRedirectUri(uri, { isPublic }) || (isNative && isUnusualLoopbackUri(uri)))
  if (forbidden === undefined) return
  throw new InvalidRedirectUri(
    `Not accepted: ${forbidden}. A redirect URI is https, or http on 127.0.0.1, [::1] or localhost, or for a public client a private-use scheme such as com.example.app:/callback; without fragment, user info or wildcard.`,
  )
}

/** Keys that RFC 7592 §2.2 forbids in an update, because only the server sets them. */
const serverFields = ['registration_access_token', 'registration_client_uri', 'client_secret_expires_at', 'client_id_issued_at']

/** Throws `InvalidClientMetadata` if an update contains a key that only the server sets. */
export function assertNoServerFields(metadata: Readonly<Record<string, unknown>>): void {
  const sent = serverFields.filter((key) => key in metadata)
  if (sent.length > 0) throw new InvalidClientMetadata(`Must not be sent: ${sent.join(', ')}.`)
}

function readScope(text: string): Scope[] {
  const requested = [...new Set(text.split(' ').filter(Boolean))]
  const unknown = requested.filter((scope) => !(allScopes as readonly string[]).includes(scope))
  if (unknown.length > 0) throw new InvalidClientMetadata(`scope: unknown ${unknown.join(', ')}.`)
  if (requested.length === 0) throw new InvalidClientMetadata('scope: at least one is required.')
  return requested as Scope[]
}

function page(key: string, uri: string | null | undefined): string | null {
  if (uri === null || uri === undefined || isWebUri(uri)) return uri ?? null
  throw new InvalidClientMetadata(`${key}: must be an http or https address.`)
}

/**
 * Matches an absolute http or https URL in the characters of RFC 3986, without user info. A URL that a parser would repair does not match.
 */
function parseWebUri(text: string): URL | null {
  const isWritten = /^https?:\/\/[^/?#@]+([/?#]|$)/i.test(text) && isPlain(text)
  return isWritten ? URL.parse(text) : null
}

function isPlain(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text) && !/[\\"<>^`{|}]/.test(text)
}

/** Returns whether links may lead there: https or http, any host. */
export function isWebUri(text: string): boolean {
  return parseWebUri(text) !== null
}

/** A scheme that an application claims on a device: a reversed domain name with at least one dot, followed by a path (RFC 8252 §7.1). */
const privateUse = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:\/(?!\/)/

/** Returns whether the URI leads to an application on the user's device through a private-use scheme (RFC 8252 §7.1). */
export function isPrivateUseUri(text: string): boolean {
  return privateUse.test(text) && isPlain(text) && URL.canParse(text)
}

/** Returns whether the URI leads to the listener of a port on the user's device (RFC 8252 §7.3). */
export function isLoopbackUri(text: string): boolean {
  const uri = parseWebUri(text)
  return uri?.protocol === 'http:' && isLoopback(uri.hostname)
}

/**
 * Returns whether it is a loopback address other than `127.0.0.1`, `[::1]` and `localhost`; the library rejects those in a client with a
 * private-use scheme.
 */
export function isUnusualLoopbackUri(text: string): boolean {
  return isLoopbackUri(text) && !/^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)([:/?]|$)/.test(text)
}

/**
 * Returns whether codes may be sent there: https; http on the loopback interface only (RFC 9700 §2.6, RFC 8252 §7.3); for a public client
 * also a private-use scheme (RFC 8252 §7.1). Never with a fragment or a wildcard (RFC 6749 §3.1.2).
 */
export function isRedirectUri(text: string, { isPublic }: { isPublic: boolean }): boolean {
  if (text.includes('#') || text.includes('*')) return false
  if (isPrivateUseUri(text)) return isPublic
  return parseWebUri(text)?.protocol === 'https:' || isLoopbackUri(text)
}

/** Returns an http URL on a loopback IP literal without its port: every port is equivalent (RFC 8252 §7.3). */
function withoutLoopbackPort(text: string): string | null {
  const [, host, rest] = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/.exec(text) ?? []
  return host === undefined || !URL.canParse(text) ? null : `${host}${rest}`
}

/** Returns whether a URI is registered: exact comparison, except for the port of a loopback IP literal. */
export function isRegisteredRedirect(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true
  const address = withoutLoopbackPort(requested)
  return address !== null && registered.some((uri) => withoutLoopbackPort(uri) === address)
}

/** Returns whether pages of an origin belong to the client: the origin of a registered URI, at any port of a loopback IP literal. */
export function isRegisteredOrigin(origin: string, registered: readonly string[]): boolean {
  const address = withoutLoopbackPort(origin)
  return registered.some((uri) => {
    const own = URL.parse(uri)?.origin
    return own === origin || (own !== undefined && address !== null && withoutLoopbackPort(own) === address)
  })
}
