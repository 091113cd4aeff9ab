import { expect, test } from 'vitest'
import {
  canCollide,
  deriveInvoicePrefix,
  fallbackSeriesName,
  formatNumber,
  formatLongestNumber,
  numberPrefix,
  seriesName,
} from './number-format.ts'

const running = { invoicePrefix: 'ACME', creditNotePrefix: null, yearly: false, padding: 4 }

test.each([
  ['acme', 'ACME'],
  ['acme-2', 'ACME-2'],
  ['northwind-analytics', 'NORTHWIND'],
  ['three-word-name', 'THREE-WORD'],
  ['northwindanalytics', 'NORTHWINDAN'],
  ['abcdefghij-klm', 'ABCDEFGHIJ'],
  ['-ünï_code-', 'N-CODE'],
  ['---', 'INV'],
  ['', 'INV'],
])('derives from the slug "%s" the prefix %s', (slug, prefix) => {
  expect(numberPrefix(slug, running)).toBe(prefix)
})

test.each([
  ['consecutive invoices', 'invoice' as const, running, 'ACME-0007'],
  ['invoices of a year', 'invoice' as const, { ...running, yearly: true }, 'ACME-2026-0007'],
  ['credit notes in a separate series', 'credit_note' as const, running, 'CN-ACME-0007'],
  ['credit notes of a year', 'credit_note' as const, { ...running, yearly: true }, 'CN-ACM-2026-0007'],
  ['credit notes with a separate prefix', 'credit_note' as const, { ...running, creditNotePrefix: 'GS/ACME' }, 'GS/ACME-0007'],
  ['a long prefix leaves room for CN', 'credit_note' as const, { ...running, invoicePrefix: 'NORTHWIND-A' }, 'CN-NORTHWIN-0007'],
  ['more digits', 'invoice' as const, { ...running, padding: 6 }, 'ACME-000007'],
])('formats %s: %s', (...[, kind, numbering, number]) => {
  expect(formatNumber(seriesName(kind, numbering, 2026), { position: 7n, padding: numbering.padding })).toBe(number)
})

test('has at least four digits and, up to number 9999, at most sixteen characters [43]', () => {
  expect(formatNumber('ACME-', { position: 10_000n, padding: 4 })).toBe('ACME-10000')
  for (const slug of ['a'.repeat(50), 'acme']) {
    for (const yearly of [false, true]) {
      const numbering = { ...running, invoicePrefix: numberPrefix(slug, { ...running, yearly }), yearly }
      const credited = formatNumber(seriesName('credit_note', numbering, 2026), { position: 9999n, padding: 4 })
      expect(credited.length).toBeLessThanOrEqual(16)
      expect(credited).toMatch(/^[A-Z0-9/-]+$/)
    }
  }
  expect(formatLongestNumber(numberPrefix('a'.repeat(50), running), running)).toBe(16)
})

test.each([
  ['acme', null, 'ACME'],
  ['cn', null, 'INV-CN'],
  ['cn-acme', null, 'INV-CN-ACME'],
  ['cn2-acme', null, 'INV-CN2'],
  ['cnet', null, 'CNET'],
  ['acme', 'ACME', 'INV-ACME'],
  ['acme', 'ACME-2026', 'INV-ACME'],
  ['acme', 'ACME-CN', 'ACME'],
])('derives from the slug "%s" with credit notes %s the invoice prefix %s', (slug, creditNotePrefix, prefix) => {
  expect(deriveInvoicePrefix(slug, { ...running, creditNotePrefix })).toBe(prefix)
})

test('never derives the prefix of credit notes for invoices, however few characters fit', () => {
  const numbering = { yearly: true, padding: 9, creditNotePrefix: 'I' }
  expect(canCollide(deriveInvoicePrefix('ink', numbering), 'I')).toBe(false)
})

test.each([
  ['credit_note' as const, running, 'CN2-ACME-'],
  ['credit_note' as const, { ...running, creditNotePrefix: 'GS' }, 'CN2-ACME-'],
  ['credit_note' as const, { ...running, invoicePrefix: 'NORTHWIND-A', yearly: true }, 'CN2-NO-2026-'],
  ['invoice' as const, running, 'INV2-ACME-'],
])('falls back to another series of a %s within sixteen characters', (kind, numbering, series) => {
  expect(fallbackSeriesName(kind, numbering, { year: 2026, n: 2 })).toBe(series)
})
