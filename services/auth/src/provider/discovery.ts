import { config } from '../config.ts'
import { routes } from '../routes.ts'

/** Public base URLs, without a trailing slash. */
export interface PublicAddresses {
  baseUrl: string
  authUrl: string
}

/**
 * Builds the metadata document (OpenID Connect Discovery §3, RFC 8414 §2). The library derives URLs from the request; these come from the
 * configuration: pages at `authUrl`, everything else at the issuer.
 */
export function discoveryDocument(
  metadata: Record<string, unknown>,
  { baseUrl, authUrl, hasClientDocuments }: PublicAddresses & { hasClientDocuments: boolean },
): Record<string, unknown> {
  const authentication = ['client_secret_post', 'client_secret_basic', 'none']
  return {
    ...metadata,
    authorization_endpoint: authUrl + routes.authorization,
    end_session_endpoint: authUrl + routes.end_session,
    token_endpoint: baseUrl + routes.token,
    userinfo_endpoint: baseUrl + routes.userinfo,
    revocation_endpoint: baseUrl + routes.revocation,
    introspection_endpoint: baseUrl + routes.introspection,
    pushed_authorization_request_endpoint: baseUrl + routes.pushed_authorization_request,
    // A client that finds it registers itself instead of asking its user for a client id.
    ...(config().CLIENT_REGISTRATION !== 'off' && { registration_endpoint: baseUrl + routes.registration }),
    jwks_uri: baseUrl + routes.jwks,
    response_modes_supported: ['query'],
    client_id_metadata_document_supported: hasClientDocuments,
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: authentication,
    revocation_endpoint_auth_methods_supported: authentication,
    introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    service_documentation: `${baseUrl}/docs`,
  }
}
