import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createConstantEncoding, negotiateEncoding } from './compression.ts'

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

test('encodes the body of a constant route once, and never sends it in place of another body', async () => {
  const encode = createConstantEncoding()
  const [route, other] = [{}, {}]
  const payload = 'the API reference '.repeat(100)
  const first = encode(route, { payload, encoding: 'br' })
  expect(encode(route, { payload, encoding: 'br' })).toBe(first)
  expect(brotliDecompressSync(await first).toString()).toBe(payload)
  expect(gunzipSync(await encode(route, { payload, encoding: 'gzip' })).toString()).toBe(payload)
  const plain = await encode(route, { payload, encoding: null })
  expect(plain).toEqual(Buffer.from(payload))
  expect(await encode(route, { payload, encoding: null })).toBe(plain)
  const error = 'The request was rejected. '.repeat(100)
  expect(brotliDecompressSync(await encode(route, { payload: error, encoding: 'br' })).toString()).toBe(error)
  expect(brotliDecompressSync(await encode(other, { payload, encoding: 'br' })).toString()).toBe(payload)
  expect(brotliDecompressSync(await encode(route, { payload, encoding: 'br' })).toString()).toBe(payload)
})
