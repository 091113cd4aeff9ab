import type { registerClient } from '@quittance/contracts/clients'
import { InvalidClientMetadata, InvalidRedirectUri } from '@quittance/contracts/errors'
import type { RequestOf } from '@quittance/contracts/operation'
import { scopes as allScopes, type Scope } from '@quittance/contracts/scopes'
import type { ClientConfiguration } from './client.ts'
import { isRedirectUri, isWebUri } from './redirect-uri.ts'

/** Checks what a client says of itself by the rules of RFC 7591 §2 and this server's own, and puts it into a client's words. */
export function readClientMetadata(metadata: RequestOf<typeof registerClient>): ClientConfiguration {
  refuseForbiddenRedirects([...metadata.redirect_uris, ...metadata.post_logout_redirect_uris])
  const grantTypes = [...new Set(metadata.grant_types)]
  if (!grantTypes.includes('authorization_code')) {
    throw new InvalidClientMetadata('grant_types: refresh_token is of no use without authorization_code.')
  }
  return {
    name: metadata.client_name,
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

/** Ends with `InvalidRedirectUri` at the first address that browsers may not be sent back to. */
export function refuseForbiddenRedirects(uris: readonly string[]): void {
  const forbidden = uris.find((uri) => !isRedirectUri(uri))
  if (forbidden === undefined) return
  throw new InvalidRedirectUri(
    `Not accepted: ${forbidden}. A redirect URI is https, or http on localhost or a private IPv4 address, without fragment, user info or wildcard.`,
  )
}

/** Keys that RFC 7592 §2.2 forbids in an update, because only the server says them. */
const serverSaid = ['registration_access_token', 'registration_client_uri', 'client_secret_expires_at', 'client_id_issued_at']

/** Ends with `InvalidClientMetadata` when an update says what only the server may say. */
export function refuseServerSaid(metadata: Readonly<Record<string, unknown>>): void {
  const said = serverSaid.filter((key) => key in metadata)
  if (said.length > 0) throw new InvalidClientMetadata(`Must not be sent: ${said.join(', ')}.`)
}

function readScope(text: string): Scope[] {
  const asked = [...new Set(text.split(' ').filter(Boolean))]
  const unknown = asked.filter((scope) => !(allScopes as readonly string[]).includes(scope))
  if (unknown.length > 0) throw new InvalidClientMetadata(`scope: unknown ${unknown.join(', ')}.`)
  if (asked.length === 0) throw new InvalidClientMetadata('scope: at least one is needed.')
  return asked as Scope[]
}

function page(key: string, uri: string | null | undefined): string | null {
  if (uri === null || uri === undefined || isWebUri(uri)) return uri ?? null
  throw new InvalidClientMetadata(`${key}: must be an http or https address.`)
}
