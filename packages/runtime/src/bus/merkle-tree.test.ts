import { expect, test } from 'vitest'
import { createMerkleTree, leafHash, computeProofPath } from './merkle-tree.ts'

const unknown = () => false
const computeRoot = (leaf: Buffer, position: { index: number; size: number; proof: Buffer }) =>
  computeProofPath(leaf, position, unknown)?.top ?? null
const leaves = (size: number) => Array.from({ length: size }, (_, index) => leafHash(Buffer.from(`event ${index}`)))

test.each([1, 2, 3, 4, 5, 7, 8, 31, 200])('every leaf of %i leads to the root with its proof', (size) => {
  const hashes = leaves(size)
  const { root, proof } = createMerkleTree(hashes)
  for (const [index, leaf] of hashes.entries()) {
    expect(computeRoot(leaf, { index, size, proof: Buffer.concat(proof(index)) })).toEqual(root)
  }
})

test('another leaf, position, size or proof does not lead to the root', () => {
  const hashes = leaves(5)
  const { root, proof } = createMerkleTree(hashes)
  const [leaf, other] = hashes as [Buffer, Buffer]
  const path = Buffer.concat(proof(0))
  expect(computeRoot(other, { index: 0, size: 5, proof: path })).not.toEqual(root)
  expect(computeRoot(leaf, { index: 1, size: 5, proof: path })).not.toEqual(root)
  expect(computeRoot(leaf, { index: 0, size: 2, proof: path })).toBeNull()
  expect(computeRoot(leaf, { index: 0, size: 5, proof: path.subarray(32) })).toBeNull()
  expect(computeRoot(leaf, { index: 0, size: 5, proof: Buffer.concat([path, path]) })).toBeNull()
})

test('the path ends at a known node, and its nodes are those of the tree', () => {
  const hashes = leaves(8)
  const { root, proof } = createMerkleTree(hashes)
  const position = (index: number) => ({ index, size: 8, proof: Buffer.concat(proof(index)) })
  const first = computeProofPath(hashes[0] as Buffer, position(0), unknown)
  expect(first?.nodes).toHaveLength(7)
  expect(first?.top).toEqual(root)
  const isKnown = (node: Buffer) => first?.nodes.some((known) => known.equals(node)) ?? false
  expect(computeProofPath(hashes[1] as Buffer, position(1), isKnown)?.top).toEqual(hashes[1])
  const second = computeProofPath(hashes[3] as Buffer, position(3), isKnown)
  expect(second?.nodes).toHaveLength(3)
  expect(isKnown(second?.top as Buffer)).toBe(true)
  expect(computeProofPath(leafHash(Buffer.from('another event')), position(3), isKnown)?.top).not.toEqual(root)
})

test('a node does not pass for a leaf', () => {
  const hashes = leaves(2)
  const { root } = createMerkleTree(hashes)
  expect(leafHash(Buffer.concat(hashes))).not.toEqual(root)
})
