import { routes } from './routes.ts'

/** Public addresses, without a slash at the end. */
export interface PublicAddresses {
  baseUrl: string
  authUrl: string
}

/**
 * The metadata document (OpenID Connect Discovery §3, RFC 8414 §2). The library derives addresses from the request; ours are
 * those of the configuration: pages at `authUrl`, all else at the issuer.
 */
export function discoveryDocument(given: Record<string, unknown>, { baseUrl, authUrl }: PublicAddresses): Record<string, unknown> {
  const authentication = ['client_secret_post', 'client_secret_basic', 'none']
  return {
    ...given,
    authorization_endpoint: authUrl + routes.authorization,
    end_session_endpoint: authUrl + routes.end_session,
    token_endpoint: baseUrl + routes.token,
    userinfo_endpoint: baseUrl + routes.userinfo,
    revocation_endpoint: baseUrl + routes.revocation,
    introspection_endpoint: baseUrl + routes.introspection,
    pushed_authorization_request_endpoint: baseUrl + routes.pushed_authorization_request,
    registration_endpoint: baseUrl + routes.registration,
    jwks_uri: baseUrl + routes.jwks,
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: authentication,
    revocation_endpoint_auth_methods_supported: authentication,
    introspection_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    service_documentation: `${baseUrl}/openapi.json`,
  }
}
