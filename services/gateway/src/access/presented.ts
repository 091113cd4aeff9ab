import type { IncomingMessage } from 'node:http'
import { InvalidToken } from '@quittance/contracts/errors'

/** A credential as it was presented, and what was sent to prove possession of its key. */
export interface Presented {
  scheme: 'bearer' | 'dpop'
  token: string
  /** Values of the `DPoP` header fields. */
  proofs: readonly string[]
  method: string
  path: string
}

/** The credential of a request; null when none was sent. Throws `InvalidToken` for another scheme or malformed text. */
export function presentedIn({ headers, headersDistinct, method, url }: IncomingMessage): Presented | null {
  if (!headers.authorization) return null
  const [, scheme, token] = /^(Bearer|DPoP) +([\w.~+/-]+=*) *$/i.exec(headers.authorization) ?? []
  if (!scheme || !token) throw new InvalidToken('The Authorization header is not a Bearer or DPoP credential.')
  return {
    scheme: scheme.toLowerCase() as Presented['scheme'],
    token,
    proofs: headersDistinct['dpop'] ?? [],
    method: method ?? '',
    path: url ?? '',
  }
}
