import { expect, test } from 'vitest'
import { validateTaxId, isBusinessTaxId, parseTaxId } from './tax-id.ts'

const field = 'tax_id'

test.each([
  ['PL 526-000-12-46', 'PL', ['PL5260001246', 'eu_vat']],
  ['5260001246', 'PL', ['PL5260001246', 'eu_vat']],
  ['094259216', 'GR', ['EL094259216', 'eu_vat']],
  ['FR 83 404 833 048', 'FR', ['FR83404833048', 'eu_vat']],
  ['DE136695976', 'DE', ['DE136695976', 'eu_vat']],
  ['91-1144442', 'US', ['911144442', 'us_ein']],
  ['GB 980 7806 84', 'GB', ['GB980780684', 'gb_vat']],
  ['CHE-107.787.577 IVA', 'CH', ['CHE107787577IVA', 'ch_vat']],
  ['83 914 571 673', 'AU', ['83914571673', 'au_abn']],
  ['27AAPFU0939F1ZV', 'IN', ['27AAPFU0939F1ZV', 'in_gst']],
  ['123026635 RT 0001', 'CA', ['123026635RT0001', 'ca_bn']],
  ['T1234567890123', 'JP', ['T1234567890123', 'jp_rn']],
])('stores %s of %s in the format of the country', (number, country, kept) => {
  expect(parseTaxId(number, { country, field })).toEqual(kept)
})

test.each([
  ['5260001246', null, 'billing address'],
  ['DE136695976', 'PL', 'another country'],
  ['12345', 'AQ', 'not supported'],
  ['№ 12345', 'US', 'valid tax ID'],
  ['123', 'US', 'valid tax ID'],
  ['DE136695977', 'DE', 'valid tax ID'],
  ['FR83404833049', 'FR', 'valid tax ID'],
  ['GB980780685', 'GB', 'valid tax ID'],
  ['BE0428759498', 'BE', 'valid tax ID'],
  ['NL123456783B12', 'NL', 'valid tax ID'],
  ['27AAPFU0939F1ZO', 'IN', 'valid tax ID'],
])('rejects %s of %s', (number, country, reason) => {
  expect(() => parseTaxId(number, { country, field })).toThrow(reason)
})

test('checks a number with a format by the rule of that format', () => {
  expect(validateTaxId(['de 136 695 976', 'eu_vat'], field)).toEqual(['DE136695976', 'eu_vat'])
  expect(() => validateTaxId(['DE136695977', 'eu_vat'], field)).toThrow('format eu_vat')
  expect(() => validateTaxId(['CHE107787577IVA', 'eu_vat'], field)).toThrow('format eu_vat')
})

test('recognizes a business by a number with check digits that natural persons do not have', () => {
  expect(isBusinessTaxId(['DE136695976', 'eu_vat'])).toBe(true)
  expect(isBusinessTaxId(['DE136695977', 'eu_vat'])).toBe(false)
  expect(isBusinessTaxId(['T1234567890123', 'jp_rn'])).toBe(false)
  expect(isBusinessTaxId(['39053344705', 'br_cpf'])).toBe(false)
})
