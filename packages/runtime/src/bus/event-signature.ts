import { sign, verify } from 'node:crypto'
import { headers } from '@quittance/contracts/headers'
import type { BusUser } from '@quittance/contracts/permissions'
import type { BusIdentity } from './identity.ts'
import { createMerkleTree, leafHash, computeProofRoot } from './merkle-tree.ts'

/** Content covered by the signature of an event. `header` reads a header of the message; empty if absent. */
export interface SignedEvent {
  subject: string
  header(name: string): string
  body: Uint8Array
}

/** Why an event was rejected; a label of `bus_rejected_total`. */
export type EventRejection = 'unsigned' | 'forged'

const signedHeaders = ['Nats-Msg-Id', headers.aggregate, headers.organization, headers.occurredAt] as const
const maxBatch = 65_536
const context = 'quittance events 1\n'

/**
 * Signs a batch of events with one Ed25519 signature over the root of their Merkle tree: one signature per event would cost the relay and
 * every consumer more than all their other work on it. Returns the value of the `signature` header for each event, in order:
 * `‹signature›.‹index›.‹size›.‹proof›`, binary parts in base64url.
 */
export function signEvents(identity: BusIdentity, batch: readonly SignedEvent[]): string[] {
  const tree = createMerkleTree(batch.map((event) => leafHash(encodeSignedContent(identity.user, event))))
  const signature = sign(null, Buffer.concat([Buffer.from(context), tree.root]), identity.signingKey).toString('base64url')
  return batch.map((_, index) => `${signature}.${index}.${batch.length}.${Buffer.concat(tree.proof(index)).toString('base64url')}`)
}

/** Roots whose signature was verified. The events of one batch arrive together, so one verification suffices for all of them. */
const verified = new WeakMap<BusIdentity, Map<string, true>>()
const maxVerified = 256

/** How a service verifies events. */
export interface EventTrust {
  identity: BusIdentity
  /** Whether events without a signature are accepted, see `BUS_AUTHENTICATION`. */
  acceptsUnsigned: boolean
}

/** Verifies an event as `verifyEvent` does, and accepts an unsigned one if the service is configured to. */
export function findEventRejection(
  { identity, acceptsUnsigned }: EventTrust,
  event: SignedEvent & { publisher: BusUser },
): EventRejection | null {
  const rejection = verifyEvent(identity, event)
  return rejection === 'unsigned' && acceptsUnsigned ? null : rejection
}

/** Returns null if the publisher signed exactly this event, whatever subject the server delivered it on. */
export function verifyEvent(identity: BusIdentity, event: SignedEvent & { publisher: BusUser }): EventRejection | null {
  const [signature, index, size, proof] = event.header(headers.signature).split('.')
  if (!signature || !index || !size || proof === undefined) return 'unsigned'
  const position = { index: Number(index), size: Number(size), proof: Buffer.from(proof, 'base64url') }
  if (!isPosition(position)) return 'forged'
  const root = computeProofRoot(leafHash(encodeSignedContent(event.publisher, event)), position)
  if (!root) return 'forged'
  const cachedRoots = verified.get(identity) ?? new Map<string, true>()
  verified.set(identity, cachedRoots)
  const key = `${event.publisher} ${root.toString('base64url')} ${signature}`
  if (cachedRoots.has(key)) return null
  const message = Buffer.concat([Buffer.from(context), root])
  const bytes = Buffer.from(signature, 'base64url')
  if (!identity.verificationKeys(event.publisher).some((publicKey) => verify(null, message, publicKey, bytes))) return 'forged'
  cachedRoots.set(key, true)
  if (cachedRoots.size > maxVerified) cachedRoots.delete(cachedRoots.keys().next().value as string)
  return null
}

function isPosition({ index, size }: { index: number; size: number }): boolean {
  return Number.isInteger(index) && Number.isInteger(size) && size >= 1 && size <= maxBatch && index >= 0 && index < size
}

/** The publisher's name is signed too, so that an event is not valid as one of another user with the same key. */
function encodeSignedContent(publisher: BusUser, { subject, header, body }: SignedEvent): Buffer {
  return Buffer.concat([Buffer.from([publisher, subject, ...signedHeaders.map(header), ''].join('\n')), body])
}
