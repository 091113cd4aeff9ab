import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import { headers } from '@quittance/contracts/headers'
import type { BusUser } from '@quittance/contracts/nats-users'
import type { MsgHdrs } from 'nats'
import type { BusIdentity } from './identity.ts'

/** Users that may send requests; requests of other users are rejected. */
const senders: readonly string[] = ['gateway', 'operator'] satisfies BusUser[]

/** Headers covered by the signature, with subject and body. An absent one is signed as empty. */
const signedHeaders = [headers.caller, headers.deadline, headers.requestId, headers.idempotencyKey] as const

/** A request as transmitted. */
export interface SignedRequest {
  subject: string
  headers: MsgHdrs | undefined
  body: Uint8Array
}

/** Why a request was rejected; a label of `bus_rejected_total`. */
export type RequestRejection = 'unsigned' | 'unknown-sender' | 'forged'

/** Adds `sender` and `signature`: an HMAC-SHA256 with the key that only the sender and the owner of the subject can compute. */
export function signRequest(identity: BusIdentity, request: SignedRequest & { headers: MsgHdrs }): void {
  const owner = subjectOwner(request.subject)
  const [key] = identity.requestKeys({ sender: identity.user, owner })
  if (!key) throw new Error(`BUS_PUBLIC_KEYS lists no key of ${owner}`)
  request.headers.set(headers.sender, identity.user)
  request.headers.set(headers.signature, digest(request, key).toString('base64url'))
}

/**
 * Verifies that the gateway or the operator sent the request to this owner, unchanged, in constant time. Replays are limited by the
 * deadline: it is signed, and the caller checks it.
 */
export function verifyRequest(identity: BusIdentity, request: SignedRequest): BusUser | { rejected: RequestRejection } {
  const sender = request.headers?.get(headers.sender)
  const signature = request.headers?.get(headers.signature)
  if (!sender || !signature) return { rejected: 'unsigned' }
  if (!senders.includes(sender)) return { rejected: 'unknown-sender' }
  const received = Buffer.from(signature, 'base64url')
  const keys = identity.requestKeys({ sender: sender as BusUser, owner: identity.user })
  const isGenuine = keys.some((key) => {
    const expected = digest(request, key)
    return received.length === expected.length && timingSafeEqual(received, expected)
  })
  return isGenuine ? (sender as BusUser) : { rejected: 'forged' }
}

/** The first token of a subject names the service that handles it. */
function subjectOwner(subject: string): BusUser {
  return subject.slice(0, subject.indexOf('.')) as BusUser
}

function digest({ subject, headers: messageHeaders, body }: SignedRequest, key: KeyObject): Buffer {
  // Neither a subject nor a header value can contain a line break, so the parts are unambiguous.
  const head = signedHeaders.map((name) => messageHeaders?.get(name) ?? '').join('\n')
  return createHmac('sha256', key).update(`quittance request 1\n${subject}\n${head}\n`).update(body).digest()
}
