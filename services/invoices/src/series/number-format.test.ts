import { expect, test } from 'vitest'
import { formatNumber, longestNumber, prefixOf, seriesOf } from './number-format.ts'

const running = { invoicePrefix: 'ACME', creditNotePrefix: null, yearly: false, padding: 4 }

test.each([
  ['acme', 'ACME'],
  ['acme-2', 'ACME-2'],
  ['northwind-analytics', 'NORTHWIND-A'],
  ['abcdefghij-klm', 'ABCDEFGHIJ'],
  ['-ünï_code-', 'N-CODE'],
  ['---', 'INV'],
  ['', 'INV'],
])('the series of "%s" is %s', (slug, prefix) => {
  expect(prefixOf(slug, running)).toBe(prefix)
})

test.each([
  ['invoices run on', 'invoice' as const, running, 'ACME-0007'],
  ['invoices of a year', 'invoice' as const, { ...running, yearly: true }, 'ACME-2026-0007'],
  ['credit notes have their own series', 'credit_note' as const, running, 'CN-ACME-0007'],
  ['credit notes of a year', 'credit_note' as const, { ...running, yearly: true }, 'CN-ACM-2026-0007'],
  ['credit notes by a prefix of their own', 'credit_note' as const, { ...running, creditNotePrefix: 'GS/ACME' }, 'GS/ACME-0007'],
  ['a long prefix leaves room for CN', 'credit_note' as const, { ...running, invoicePrefix: 'NORTHWIND-A' }, 'CN-NORTHWIN-0007'],
  ['more digits', 'invoice' as const, { ...running, padding: 6 }, 'ACME-000007'],
])('%s: %s', (...[, kind, numbering, number]) => {
  expect(formatNumber(seriesOf(kind, numbering, 2026), { position: 7n, padding: numbering.padding })).toBe(number)
})

test('a number has four digits or more, and sixteen characters at most until the ten-thousandth (checklist 43)', () => {
  expect(formatNumber('ACME-', { position: 10_000n, padding: 4 })).toBe('ACME-10000')
  for (const slug of ['a'.repeat(50), 'acme']) {
    for (const yearly of [false, true]) {
      const numbering = { ...running, invoicePrefix: prefixOf(slug, { ...running, yearly }), yearly }
      const credited = formatNumber(seriesOf('credit_note', numbering, 2026), { position: 9999n, padding: 4 })
      expect(credited.length).toBeLessThanOrEqual(16)
      expect(credited).toMatch(/^[A-Z0-9/-]+$/)
    }
  }
  expect(longestNumber(prefixOf('a'.repeat(50), running), running)).toBe(16)
})
