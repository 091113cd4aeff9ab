import { expect, test } from 'vitest'
import { hashToken, mintToken } from './credential.ts'

test('a token shows its kind, carries 37 random characters and a checksum', () => {
  expect(mintToken('qt_oat_')).toMatch(/^qt_oat_[0-9A-Za-z]{43}$/)
})

test('no two tokens are alike', () => {
  expect(new Set(Array.from({ length: 1000 }, () => mintToken('qt_pat_'))).size).toBe(1000)
})

test('a token is kept as SHA-256, never as itself', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
