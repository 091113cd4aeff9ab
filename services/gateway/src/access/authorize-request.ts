import type { IncomingMessage } from 'node:http'
import { limitToOrganization, type Caller } from '@quittance/contracts/caller'
import { InsufficientScope, InvalidToken, NotPermitted, Unauthorized } from '@quittance/contracts/errors'
import type { HttpBinding } from '@quittance/contracts/operation'
import { parseCredential } from './presented-credential.ts'
import type { Verifier } from './verifier.ts'

/** The caller of an authorized request. */
export interface AuthorizedRequest {
  caller: Caller
  /** `caller` as JSON, for the header. */
  header: string
}

/** The anonymous caller, also of operations that are guarded by a secret in their path. */
const anonymous: AuthorizedRequest = { caller: { kind: 'anonymous' }, header: '{"kind":"anonymous"}' }

/** Authorizes the sender of a message to call the operation, or throws (RFC 6750, RFC 9449 §7). */
export async function authorizeRequest(
  verifier: Verifier,
  { http, message }: { http: HttpBinding; message: IncomingMessage },
): Promise<AuthorizedRequest> {
  const isOptional = http.callers.includes('anonymous')
  if (isOptional && http.callers.length === 1) return anonymous
  const presented = parseCredential(message)
  if (!presented) {
    if (isOptional) return anonymous
    throw new Unauthorized('Unauthorized')
  }
  const verified = await verifier.verify(presented)
  if (!http.callers.includes(verified.caller.kind)) {
    throw new InvalidToken('The subject of this access token is not valid for this endpoint.')
  }
  // A registration access token (RFC 7592) carries no scope: it manages the one client that it was issued for.
  if (verified.caller.kind !== 'client' && http.scopes.length > 0 && !http.scopes.some((scope) => verified.scopes.has(scope))) {
    throw new InsufficientScope(
      `The request requires higher privileges than provided by the access token: the scope ${http.scopes.join(' or ')}.`,
    )
  }
  return limitToNamedOrganization(verified, message)
}

/** Narrows the caller to the organization of a `Polar-Organization` header, which clients 1.x send. Throws `NotPermitted` if it has no access to it. */
function limitToNamedOrganization(authorized: AuthorizedRequest, { headers }: IncomingMessage): AuthorizedRequest {
  const named = headers['polar-organization']
  if (named === undefined) return authorized
  // Repeated lines are joined, and name no organization.
  const caller = limitToOrganization(authorized.caller, String(named).toLowerCase())
  if (!caller) throw new NotPermitted('This access token has no access to the organization of the Polar-Organization header.')
  return caller === authorized.caller ? authorized : { caller, header: JSON.stringify(caller) }
}
