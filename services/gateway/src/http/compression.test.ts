import { expect, test } from 'vitest'
import { negotiateEncoding } from './compression.ts'

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['*;q=0', null],
  ['gzip;q=0', null],
  ['identity', null],
  ['', null],
  [undefined, null],
])('negotiates for %s: %s', (accepted, encoding) => {
  expect(negotiateEncoding(accepted)).toBe(encoding)
})
