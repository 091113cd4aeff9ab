import { expect, test } from 'vitest'
import { maskDifferently, maskEmail, toAsciiAddress } from './email-address.ts'

test.each([
  ['ada@exämple.de', 'ada@xn--exmple-cua.de'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['Ada@Example.COM', 'Ada@Example.COM'],
  ['ada@ex ämple.de', 'ada@ex ämple.de'],
  ['ädä', 'ädä'],
  ['', ''],
])('the domain of %s is submitted as in %s, whatever the browser does', (typed, submitted) => {
  expect(toAsciiAddress(typed)).toBe(submitted)
})

test.each([
  ['ada@example.com', 'a***@example.com'],
  ['😀smile@example.com', '😀***@example.com'],
  ['"a@b"@example.com', '"***@example.com'],
])('%s is shown as %s', (address, masked) => {
  expect(maskEmail(address)).toBe(masked)
})

test.each([
  ['ada@example.com', 'bob@example.com', 'a***@example.com', 'b***@example.com'],
  ['ada@example.com', 'ada@example.net', 'a***@example.com', 'a***@example.net'],
  ['john@example.com', 'jane@example.com', 'jo***@example.com', 'ja***@example.com'],
  ['jan@example.com', 'janet@example.com', 'jan***@example.com', 'jane***@example.com'],
  ['janet@example.com', 'jan@example.com', 'jane***@example.com', 'jan***@example.com'],
])('%s and %s are shown as %s and %s, which differ', (first, second, ...masked) => {
  expect(maskDifferently(first, second)).toEqual(masked)
})
