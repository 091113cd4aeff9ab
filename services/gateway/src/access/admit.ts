import type { CallerKind } from '@quittance/contracts/caller'
import { InsufficientScope, InvalidToken, Unauthorized } from '@quittance/contracts/errors'
import type { HttpBinding } from '@quittance/contracts/operation'
import type { Verified, Verifier } from './verify-credential.ts'

/** Nobody in particular; what an operation that is guarded by a secret in its path sees. */
const anonymous: Verified = { caller: { kind: 'anonymous' }, header: '{"kind":"anonymous"}', scopes: new Set() }

/** Decides whether the sender of this `Authorization` header may call the operation (RFC 6750). */
export async function admit(
  verifier: Verifier,
  { http, authorization }: { http: HttpBinding; authorization: string | undefined },
): Promise<Verified> {
  if (http.callers.includes('anonymous')) return anonymous
  if (!authorization) throw new Unauthorized('Unauthorized')
  const token = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization)?.[1]
  if (!token) throw new InvalidToken('The Authorization header is not a bearer credential.')
  const verified = await verifier.verify(token)
  if (!http.callers.includes(verified.caller.kind as CallerKind)) {
    throw new InvalidToken('The subject of this access token is not valid for this endpoint.')
  }
  if (http.scopes.length > 0 && !http.scopes.some((scope) => verified.scopes.has(scope))) {
    throw new InsufficientScope('The request requires higher privileges than provided by the access token.')
  }
  return verified
}

/** The `WWW-Authenticate` header of a refusal; names the scopes that would do. */
export function challenge(error: unknown, http: HttpBinding | undefined): string | null {
  if (error instanceof Unauthorized) return 'Bearer realm="quittance"'
  if (error instanceof InvalidToken) return `Bearer realm="quittance", error="invalid_token", error_description="${error.message}"`
  if (!(error instanceof InsufficientScope)) return null
  const scope = http?.scopes.join(' ') ?? ''
  return `Bearer realm="quittance", error="insufficient_scope", error_description="${error.message}", scope="${scope}"`
}
