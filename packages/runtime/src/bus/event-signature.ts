import { sign, verify } from 'node:crypto'
import { headers } from '@quittance/contracts/headers'
import type { BusUser } from '@quittance/contracts/nats-users'
import type { BusIdentity } from './identity.ts'
import { createMerkleTree, leafHash, computeProofPath } from './merkle-tree.ts'

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

/**
 * Nodes of trees whose signature was verified, by publisher and signature. The events of one batch arrive together: one signature is verified
 * for all of them, and each needs about one hash, because its siblings were in the proofs of others.
 */
const verified = new WeakMap<BusIdentity, Map<string, Set<string>>>()
const maxVerified = 64

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
  const trees = verified.get(identity) ?? new Map<string, Set<string>>()
  verified.set(identity, trees)
  const key = `${event.publisher} ${signature}`
  const known = trees.get(key)
  const isKnown = (node: Buffer) => known?.has(node.toString('latin1')) ?? false
  const path = computeProofPath(leafHash(encodeSignedContent(event.publisher, event)), position, isKnown)
  if (!path) return 'forged'
  if (!isKnown(path.top) && !isSigned(identity, { publisher: event.publisher, root: path.top, signature })) return 'forged'
  const nodes = known ?? new Set()
  for (const node of path.nodes) nodes.add(node.toString('latin1'))
  trees.set(key, nodes)
  if (trees.size > maxVerified) trees.delete(trees.keys().next().value as string)
  return null
}

function isSigned(identity: BusIdentity, { publisher, root, signature }: { publisher: BusUser; root: Buffer; signature: string }): boolean {
  const message = Buffer.concat([Buffer.from(context), root])
  const bytes = Buffer.from(signature, 'base64url')
  return identity.verificationKeys(publisher).some((publicKey) => verify(null, message, publicKey, bytes))
}

function isPosition({ index, size }: { index: number; size: number }): boolean {
  return Number.isInteger(index) && Number.isInteger(size) && size >= 1 && size <= maxBatch && index >= 0 && index < size
}

/** The publisher's name is signed too, so that an event is not valid as one of another user with the same key. */
function encodeSignedContent(publisher: BusUser, { subject, header, body }: SignedEvent): Buffer {
  return Buffer.concat([Buffer.from([publisher, subject, ...signedHeaders.map(header), ''].join('\n')), body])
}
