import type { IncomingMessage } from 'node:http'
import { InvalidRequest, InvalidToken } from '@quittance/contracts/errors'

/** A credential as presented, with the proofs of possession of its key. */
export interface PresentedCredential {
  scheme: 'bearer' | 'dpop'
  token: string
  /** Values of the `DPoP` header fields. */
  proofs: readonly string[]
  method: string
  path: string
}

const queryToken = /[?&]access_token(?:[=&]|$)/

/**
 * Returns the credential of a request; null if the header is missing. Throws `InvalidToken` for another scheme or malformed text, and
 * `InvalidRequest` for two credentials: a second header line, or an access token in the query beside the header (RFC 6750 §2).
 */
export function parseCredential({ headers, headersDistinct, method, url }: IncomingMessage): PresentedCredential | null {
  if (!headers.authorization) return null
  if ((headersDistinct['authorization']?.length ?? 0) > 1) throw new InvalidRequest('The Authorization header was sent more than once.')
  if (queryToken.test(url ?? '')) throw new InvalidRequest('An access token was sent in the query beside the Authorization header.')
  const [, scheme, token] = /^(Bearer|DPoP) +([\w.~+/-]+=*) *$/i.exec(headers.authorization) ?? []
  if (!scheme || !token) throw new InvalidToken('The Authorization header is not a Bearer or DPoP credential.')
  return {
    scheme: scheme.toLowerCase() as PresentedCredential['scheme'],
    token,
    proofs: headersDistinct['dpop'] ?? [],
    method: method ?? '',
    path: url ?? '',
  }
}
