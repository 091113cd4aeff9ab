import type { HttpBinding } from '@quittance/contracts/operation'
import { scopeSentences } from '@quittance/contracts/scopes'

type Requirement = Record<string, readonly string[]>

/** A credential is a credential; that some come from the authorization server is told beside it. */
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
          scopes: scopeSentences,
        },
      },
    },
  }
}

/** Whether nobody is asked for a credential. */
export function isOpen({ callers }: HttpBinding): boolean {
  return callers.every((kind) => kind === 'anonymous')
}

/** Any one of the requirements is enough, and any one of the scopes; the scopes within a requirement would all be needed. */
export function securityOf(http: HttpBinding): Requirement[] {
  if (isOpen(http)) return []
  const { scopes, callers } = http
  const isForOAuth = callers.some((kind) => kind === 'user' || kind === 'organization')
  const alternatives = scopes.length > 0 ? scopes.map((scope) => [scope]) : [[]]
  return [
    ...(callers.includes('anonymous') ? [{}] : []),
    { bearer: scopes },
    ...(isForOAuth ? alternatives.map((oauth2) => ({ oauth2 })) : []),
  ]
}
