import { expect, test } from 'vitest'
import { isSameOrigin, statesSite } from './same-origin.ts'

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

test('the site of a form is stated over https and on this machine only', () => {
  const stated = ['https://pay.example.com', 'http://127.0.0.1:8080', 'http://localhost:8080', 'http://shop.localhost', 'http://[::1]:8080']
  expect(stated.filter((origin) => !statesSite(origin))).toEqual([])
  const others = ['http://pay.example.com', 'http://192.168.1.5:8080', 'http://localhost.example.com', 'http://127.0.0.1.example.com']
  expect(others.filter(statesSite)).toEqual([])
})
