import { computeMod97, rotateCheckDigits } from '@quittance/contracts/iban'
import { expect, test } from 'vitest'
import { formatCreditorReference, formatEpc } from './transfer-requests.ts'

test('references follow ISO 11649 and differ', () => {
  const references = Array.from({ length: 2_000 }, (_, index) => formatCreditorReference(`payment ${index}`))
  expect(new Set(references).size).toBe(2_000)
  for (const reference of references) {
    expect(reference).toMatch(/^RF\d{2}[0-9A-Z]{12}$/)
    expect(computeMod97(rotateCheckDigits(reference))).toBe(1)
  }
  expect(formatCreditorReference('a')).toBe(formatCreditorReference('a'))
})

const transfer = {
  beneficiary: 'Acme\nBooks',
  iban: 'DE89370400440532013000',
  bic: null,
  reference: 'RF18539007547034',
  dueDate: '2026-12-07',
}

test('the code of a transfer names version, beneficiary, IBAN, amount and reference', () => {
  const code = formatEpc(transfer, { amount: 4205n, currency: 'eur' })
  expect(code?.split('\n')).toEqual(['BCD', '002', '1', 'SCT', '', 'Acme Books', transfer.iban, 'EUR42.05', '', transfer.reference])
  expect(formatEpc({ ...transfer, beneficiary: 'é'.repeat(200) }, { amount: 1n, currency: 'eur' })?.length).toBeLessThan(331)
})

test('no code for other currencies or amounts that it cannot hold', () => {
  expect(formatEpc(transfer, { amount: 4205n, currency: 'chf' })).toBeNull()
  expect(formatEpc(transfer, { amount: 100_000_000_000n, currency: 'eur' })).toBeNull()
})
