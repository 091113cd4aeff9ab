import { expect, test } from 'vitest'
import { isSameOrigin } from './same-origin.ts'

test('accepts forms of the same origin only, by what the browser states [pages 125]', () => {
  const origin = 'https://pay.example.com'
  expect(isSameOrigin({ 'sec-fetch-site': 'same-origin' }, origin)).toBe(true)
  expect(isSameOrigin({ origin }, origin)).toBe(true)
  for (const headers of [{ 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }]) {
    expect(isSameOrigin({ ...headers, origin }, origin)).toBe(false)
  }
  expect(isSameOrigin({}, origin)).toBe(false)
  expect(isSameOrigin({ origin: 'null' }, origin)).toBe(false)
  expect(isSameOrigin({ origin: `${origin}.evil.example` }, origin)).toBe(false)
})
