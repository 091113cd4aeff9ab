import { expect, test } from 'vitest'
import { createMerkleTree, leafHash, computeProofRoot } from './merkle-tree.ts'

const leaves = (size: number) => Array.from({ length: size }, (_, index) => leafHash(Buffer.from(`event ${index}`)))

test.each([1, 2, 3, 4, 5, 7, 8, 31, 200])('every leaf of %i leads to the root with its proof', (size) => {
  const hashes = leaves(size)
  const { root, proof } = createMerkleTree(hashes)
  for (const [index, leaf] of hashes.entries()) {
    expect(computeProofRoot(leaf, { index, size, proof: Buffer.concat(proof(index)) })).toEqual(root)
  }
})

test('another leaf, position, size or proof does not lead to the root', () => {
  const hashes = leaves(5)
  const { root, proof } = createMerkleTree(hashes)
  const [leaf, other] = hashes as [Buffer, Buffer]
  const path = Buffer.concat(proof(0))
  expect(computeProofRoot(other, { index: 0, size: 5, proof: path })).not.toEqual(root)
  expect(computeProofRoot(leaf, { index: 1, size: 5, proof: path })).not.toEqual(root)
  expect(computeProofRoot(leaf, { index: 0, size: 2, proof: path })).toBeNull()
  expect(computeProofRoot(leaf, { index: 0, size: 5, proof: path.subarray(32) })).toBeNull()
  expect(computeProofRoot(leaf, { index: 0, size: 5, proof: Buffer.concat([path, path]) })).toBeNull()
})

test('a node does not pass for a leaf', () => {
  const hashes = leaves(2)
  const { root } = createMerkleTree(hashes)
  expect(leafHash(Buffer.concat(hashes))).not.toEqual(root)
})
