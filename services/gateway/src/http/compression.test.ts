import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createConstantCompression, negotiateEncoding } from './compression.ts'

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

test('compresses the body of a constant route once in each encoding, and never sends it in place of another body', async () => {
  const compress = createConstantCompression()
  const [route, other] = [{}, {}]
  const payload = 'the API reference '.repeat(100)
  const first = compress(route, { payload, encoding: 'br' })
  expect(compress(route, { payload, encoding: 'br' })).toBe(first)
  expect(brotliDecompressSync(await first).toString()).toBe(payload)
  expect(gunzipSync(await compress(route, { payload, encoding: 'gzip' })).toString()).toBe(payload)
  const error = 'The request was rejected. '.repeat(100)
  expect(brotliDecompressSync(await compress(route, { payload: error, encoding: 'br' })).toString()).toBe(error)
  expect(brotliDecompressSync(await compress(other, { payload, encoding: 'br' })).toString()).toBe(payload)
  expect(brotliDecompressSync(await compress(route, { payload, encoding: 'br' })).toString()).toBe(payload)
})
