import type { HttpBinding } from '@quittance/contracts/operation'
import { scopeDescriptions } from '@quittance/contracts/scopes'

type Requirement = Record<string, readonly string[]>

/** Returns the security schemes. `bearer` covers every credential; `oauth2` additionally describes the authorization server. */
export function securitySchemes(baseUrl: string, authUrl: string) {
  return {
    bearer: { type: 'http', scheme: 'bearer' },
    oauth2: {
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: `${authUrl}/oauth2/authorize`,
          tokenUrl: `${baseUrl}/v1/oauth2/token`,
          refreshUrl: `${baseUrl}/v1/oauth2/token`,
          scopes: scopeDescriptions,
        },
      },
    },
  }
}

/** Whether the operation accepts no credential. */
export function isAnonymous({ callers }: HttpBinding): boolean {
  return callers.every((kind) => kind === 'anonymous')
}

/** Returns alternative requirements: any one of them and any one scope is enough. The scopes within one requirement are all required. */
export function securityRequirements(http: HttpBinding): Requirement[] {
  if (isAnonymous(http)) return []
  const { scopes, callers } = http
  const isForOAuth = callers.some((kind) => kind === 'user' || kind === 'organization')
  // Scopes that only personal access tokens have are not offered to applications.
  const alternatives = scopes.length > 0 ? scopes.filter((scope) => scope in scopeDescriptions).map((scope) => [scope]) : [[]]
  return [
    ...(callers.includes('anonymous') ? [{}] : []),
    { bearer: scopes },
    ...(isForOAuth ? alternatives.map((oauth2) => ({ oauth2 })) : []),
  ]
}
