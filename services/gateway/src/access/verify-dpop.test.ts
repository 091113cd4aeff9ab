import { expect, test } from 'vitest'
import { normalizeTargetUri } from './verify-dpop.ts'

const canonical = 'https://api.example.com/v1/orders/~a%2Fb'

test.each([
  'https://api.example.com/v1/orders/~a%2Fb?page=2#top',
  'HTTPS://API.example.com:443/v1/orders/~a%2Fb',
  'https://api.example.com/v1/orders/%7Ea%2fb',
  'https://api.example.com/v1/x/../orders/./~a%2Fb',
])('treats %s as the same target', (uri) => {
  expect(normalizeTargetUri(uri)).toBe(canonical)
})

test.each([
  'http://api.example.com/v1/orders/~a%2Fb',
  'https://api.example.com:8443/v1/orders/~a%2Fb',
  'https://api.example.com/v1/orders/~a/b',
  'https://api.example.com/v1/orders/~a%2Fb/',
  'https://api.example.com/v1/Orders/~a%2Fb',
])('treats %s as another target', (uri) => {
  expect(normalizeTargetUri(uri)).not.toBe(canonical)
})

test('returns null for a path, another scheme and text that is not a URI', () => {
  expect(['/v1/orders', 'javascript:alert(1)', 'https://', ''].map(normalizeTargetUri)).toEqual([null, null, null, null])
})
