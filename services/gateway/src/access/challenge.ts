import { InsufficientScope, InvalidDpopProof, InvalidRequest, InvalidToken, type ApiError } from '@quittance/contracts/errors'
import type { HttpBinding } from '@quittance/contracts/operation'
import { proofAlgorithms } from './verify-dpop.ts'

/** Path of the protected resource's metadata (RFC 9728 §3). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** The requested operation and the `Authorization` header of the request. */
interface ChallengedRequest {
  http?: HttpBinding | undefined
  authorization?: string | undefined
}

/** Returns the `WWW-Authenticate` header fields of an error, none if no credential would help. */
export type Challenge = (error: ApiError, request: ChallengedRequest) => string[]

/**
 * Creates challenges of RFC 6750 §3 that link to the metadata (RFC 9728 §5.1). The error belongs to the scheme that was used; clients that
 * used DPoP also get the proof algorithms (RFC 9449 §7.1).
 */
export function createChallenge(baseUrl: string): Challenge {
  const commonAttributes = ['realm="quittance"', `resource_metadata="${baseUrl}${resourceMetadataPath}"`]
  return (error, { http, authorization = '' }) => {
    if (error.status !== 401 && !(error instanceof InsufficientScope || error instanceof InvalidRequest)) return []
    const [realm, metadata] = commonAttributes
    const errorAttributes = buildErrorAttributes(error, http)
    const bearer = (...attributes: string[]) => `Bearer ${[realm, ...attributes, metadata].join(', ')}`
    if (!/^dpop\b/i.test(authorization)) return [bearer(...errorAttributes)]
    return [`DPoP ${[...errorAttributes, `algs="${proofAlgorithms.join(' ')}"`, ...commonAttributes].join(', ')}`, bearer()]
  }
}

function buildErrorAttributes(error: ApiError, http: HttpBinding | undefined): string[] {
  const isInvalidCredential = error instanceof InvalidToken || error instanceof InvalidDpopProof || error instanceof InvalidRequest
  if (!(isInvalidCredential || error instanceof InsufficientScope)) return []
  const errorAttributes = [`error="${error.code}"`, `error_description="${error.message}"`]
  return error instanceof InsufficientScope ? [...errorAttributes, `scope="${http?.scopes.join(' ') ?? ''}"`] : errorAttributes
}
