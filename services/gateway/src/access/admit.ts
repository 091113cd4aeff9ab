import type { IncomingMessage } from 'node:http'
import type { Caller } from '@quittance/contracts/caller'
import { InsufficientScope, InvalidToken, Unauthorized } from '@quittance/contracts/errors'
import type { HttpBinding } from '@quittance/contracts/operation'
import { presentedIn } from './presented.ts'
import type { Verifier } from './verifier.ts'

/** Who was let in. */
export interface Admitted {
  caller: Caller
  /** `caller` as JSON, for the header. */
  header: string
}

/** Nobody in particular; what an operation that is guarded by a secret in its path sees. */
const anonymous: Admitted = { caller: { kind: 'anonymous' }, header: '{"kind":"anonymous"}' }

/** Decides whether the sender of this message may call the operation (RFC 6750, RFC 9449 §7). */
export async function admit(verifier: Verifier, { http, message }: { http: HttpBinding; message: IncomingMessage }): Promise<Admitted> {
  const isOptional = http.callers.includes('anonymous')
  if (isOptional && http.callers.length === 1) return anonymous
  const presented = presentedIn(message)
  if (!presented) {
    if (isOptional) return anonymous
    throw new Unauthorized('Unauthorized')
  }
  const verified = await verifier.verify(presented)
  if (!http.callers.includes(verified.caller.kind)) {
    throw new InvalidToken('The subject of this access token is not valid for this endpoint.')
  }
  if (http.scopes.length > 0 && !http.scopes.some((scope) => verified.scopes.has(scope))) {
    throw new InsufficientScope('The request requires higher privileges than provided by the access token.')
  }
  return verified
}
