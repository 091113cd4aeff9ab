import { InsufficientScope, InvalidDpopProof, InvalidToken, type ApiError } from '@quittance/contracts/errors'
import type { HttpBinding } from '@quittance/contracts/operation'
import { proofAlgorithms } from './verify-dpop.ts'

/** Path of the protected resource's metadata (RFC 9728 §3). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** What was asked for, and how. */
interface Asked {
  http?: HttpBinding | undefined
  authorization?: string | undefined
}

/** The `WWW-Authenticate` header fields of a refusal, none where no credential would help. */
export type Challenge = (error: ApiError, asked: Asked) => string[]

/**
 * Challenges of RFC 6750 §3 that lead to the metadata (RFC 9728 §5.1). The error stands with the scheme that was used; a client
 * that used DPoP is told the algorithms of proofs (RFC 9449 §7.1).
 */
export function createChallenge(baseUrl: string): Challenge {
  const anywhere = ['realm="quittance"', `resource_metadata="${baseUrl}${resourceMetadataPath}"`]
  return (error, { http, authorization = '' }) => {
    if (error.status !== 401 && !(error instanceof InsufficientScope)) return []
    const [realm, metadata] = anywhere
    const faults = faultsOf(error, http)
    const bearer = (...attributes: string[]) => `Bearer ${[realm, ...attributes, metadata].join(', ')}`
    if (!/^dpop\b/i.test(authorization)) return [bearer(...faults)]
    return [`DPoP ${[...faults, `algs="${proofAlgorithms.join(' ')}"`, ...anywhere].join(', ')}`, bearer()]
  }
}

function faultsOf(error: ApiError, http: HttpBinding | undefined): string[] {
  if (!(error instanceof InvalidToken || error instanceof InvalidDpopProof || error instanceof InsufficientScope)) return []
  const faults = [`error="${error.code}"`, `error_description="${error.message}"`]
  return error instanceof InsufficientScope ? [...faults, `scope="${http?.scopes.join(' ') ?? ''}"`] : faults
}
