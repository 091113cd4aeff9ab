import { expect, test } from 'vitest'
import { hashToken, looksMinted, mintToken } from './credential.ts'

test('a token contains its kind, 37 random characters and a checksum', () => {
  expect(mintToken('qt_oat_')).toMatch(/^qt_oat_[0-9A-Za-z]{43}$/)
})

test('tokens are unique', () => {
  expect(new Set(Array.from({ length: 1000 }, () => mintToken('qt_pat_'))).size).toBe(1000)
})

test('a token is stored as SHA-256 only', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a minted token is recognized', () => {
  expect(Array.from({ length: 1000 }, () => mintToken('qt_at_')).every(looksMinted)).toBe(true)
})

test('rejects a token with one changed, missing or added character, and other text', () => {
  const token = mintToken('qt_pat_')
  const changed = token
    .split('')
    .map((character, position) => token.slice(0, position) + (character === 'x' ? 'y' : 'x') + token.slice(position + 1))
  // The kind is not covered by the checksum: another kind of the same length is still recognized.
  const changedSecrets = changed.slice('qt_pat_'.length)
  expect(changedSecrets.filter(looksMinted)).toEqual([])
  expect([token.slice(0, -1), `${token}0`, ` ${token}`, `${token}\n`, token.slice(3), '', 'qt_pat_', 'a.b.c'].filter(looksMinted)).toEqual(
    [],
  )
})
