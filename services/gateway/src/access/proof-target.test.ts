import { expect, test } from 'vitest'
import { proofTarget } from './proof-target.ts'

const canonical = 'https://api.example.com/v1/orders/~a%2Fb'

test.each([
  'https://api.example.com/v1/orders/~a%2Fb?page=2#top',
  'HTTPS://API.example.com:443/v1/orders/~a%2Fb',
  'https://api.example.com/v1/orders/%7Ea%2fb',
  'https://api.example.com/v1/x/../orders/./~a%2Fb',
])('%s is the same target', (uri) => {
  expect(proofTarget(uri)).toBe(canonical)
})

test.each([
  'http://api.example.com/v1/orders/~a%2Fb',
  'https://api.example.com:8443/v1/orders/~a%2Fb',
  'https://api.example.com/v1/orders/~a/b',
  'https://api.example.com/v1/orders/~a%2Fb/',
  'https://api.example.com/v1/Orders/~a%2Fb',
])('%s is another target', (uri) => {
  expect(proofTarget(uri)).not.toBe(canonical)
})

test('a path, another scheme and no URI are no targets', () => {
  expect(['/v1/orders', 'javascript:alert(1)', 'https://', ''].map(proofTarget)).toEqual([null, null, null, null])
})
