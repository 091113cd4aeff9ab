import { hash } from 'node:crypto'

/**
 * Merkle tree hash over the leaves of one batch (RFC 9162 §2.1): one signature of the root covers every leaf, and a proof of log2(n) hashes
 * shows that a leaf belongs to it. Leaves and nodes are hashed with different prefixes, so that neither is valid as the other.
 */
export interface MerkleTree {
  root: Buffer
  /** Returns the sibling hashes of a leaf, from the bottom up. */
  proof(index: number): Buffer[]
}

const hashBytes = 32

/** Hash of a leaf: SHA-256 over a zero byte and its content. */
export function leafHash(content: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(0), content]), 'buffer')
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(1), left, right]), 'buffer')
}

/** Builds the tree over at least one leaf hash. */
export function createMerkleTree(leaves: readonly Buffer[]): MerkleTree {
  const levels: (readonly Buffer[])[] = [leaves]
  for (let level = leaves; level.length > 1; levels.push(level)) level = parents(level)
  return {
    root: levels.at(-1)?.[0] as Buffer,
    proof(index) {
      return levels.slice(0, -1).flatMap((level, height) => level[(index >> height) ^ 1] ?? [])
    },
  }
}

/** A node without a sibling is promoted unchanged. */
function parents(level: readonly Buffer[]): Buffer[] {
  return Array.from({ length: Math.ceil(level.length / 2) }, (_, at) => {
    const [left, right] = [level[2 * at] as Buffer, level[2 * at + 1]]
    return right ? nodeHash(left, right) : left
  })
}

/** The way from a leaf towards the root. */
export interface ProofPath {
  /** The highest computed node: a known one, or the root. */
  top: Buffer
  /** The leaf, the siblings of its proof and the nodes above it: part of the tree if `top` is. */
  nodes: Buffer[]
}

/**
 * Computes the nodes from a leaf up to the first one that `isKnown`, above which the proof is not read, or up to the root; null if the length of
 * the proof does not match position and size (RFC 9162 §2.1.3.2).
 */
export function computeProofPath(
  leaf: Buffer,
  { index, size, proof }: { index: number; size: number; proof: Buffer },
  isKnown: (node: Buffer) => boolean,
): ProofPath | null {
  const nodes = [leaf]
  let node = leaf
  let used = 0
  for (let at = index, width = size; width > 1; at >>= 1, width = Math.ceil(width / 2)) {
    if (isKnown(node)) return { top: node, nodes }
    if ((at ^ 1) >= width) continue
    const sibling = proof.subarray(used, (used += hashBytes))
    if (sibling.length !== hashBytes) return null
    node = at & 1 ? nodeHash(sibling, node) : nodeHash(node, sibling)
    nodes.push(sibling, node)
  }
  return used === proof.length ? { top: node, nodes } : null
}
