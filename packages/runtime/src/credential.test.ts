import { expect, test } from 'vitest'
import { hashToken, looksMinted, mintToken } from './credential.ts'

test('a token shows its kind, carries 37 random characters and a checksum', () => {
  expect(mintToken('qt_oat_')).toMatch(/^qt_oat_[0-9A-Za-z]{43}$/)
})

test('no two tokens are alike', () => {
  expect(new Set(Array.from({ length: 1000 }, () => mintToken('qt_pat_'))).size).toBe(1000)
})

test('a token is kept as SHA-256, never as itself', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('what was minted looks minted', () => {
  expect(Array.from({ length: 1000 }, () => mintToken('qt_at_')).every(looksMinted)).toBe(true)
})

test('a token with one changed, missing or added character does not look minted, and neither does other text', () => {
  const token = mintToken('qt_pat_')
  const changed = token.split('').map((letter, place) => token.slice(0, place) + (letter === 'x' ? 'y' : 'x') + token.slice(place + 1))
  // The kind is not under the checksum: another kind of the same length still looks minted.
  const ofTheSecret = changed.slice('qt_pat_'.length)
  expect(ofTheSecret.filter(looksMinted)).toEqual([])
  expect([token.slice(0, -1), `${token}0`, ` ${token}`, `${token}\n`, token.slice(3), '', 'qt_pat_', 'a.b.c'].filter(looksMinted)).toEqual(
    [],
  )
})
