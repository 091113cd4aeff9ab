import { expect, test } from 'vitest'
import { formatInvoiceNumber, seriesPrefix } from './invoice-number.ts'

test.each([
  ['acme', 'ACME'],
  ['acme-2', 'ACME-2'],
  ['northwind-analytics', 'NORTHWIND-A'],
  ['abcdefghij-klm', 'ABCDEFGHIJ'],
  ['-ünï_code-', 'N-CODE'],
  ['---', 'INV'],
  ['', 'INV'],
])('the series of "%s" is %s', (slug, prefix) => {
  expect(seriesPrefix(slug)).toBe(prefix)
})

test('a number has four digits or more, and sixteen characters at most until the ten-thousandth', () => {
  expect(formatInvoiceNumber('ACME', 1n)).toBe('ACME-0001')
  expect(formatInvoiceNumber('ACME', 10_000n)).toBe('ACME-10000')
  expect(formatInvoiceNumber(seriesPrefix('a'.repeat(50)), 9_999n)).toHaveLength(16)
})
