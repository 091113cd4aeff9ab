import { expect, test } from 'vitest'
import { Bic, formatIban, Iban } from './iban.ts'

test('accepts an IBAN with or without spaces, and rejects wrong check digits', () => {
  for (const iban of ['DE89370400440532013000', 'de89 3704 0044 0532 0130 00', 'GB82 WEST 1234 5698 7654 32', 'NO93 8601 1117 947'])
    expect(Iban.parse(iban)).toBe(iban.replaceAll(' ', '').toUpperCase())
  for (const wrong of ['DE88370400440532013000', 'DE89', '4242424242424242', '', 'DE89370400440532013000XXXXXXXXXXXXXXXXXXXXX'])
    expect(() => Iban.parse(wrong)).toThrow()
})

test('accepts a BIC of 8 or 11 characters', () => {
  for (const bic of ['COBADEFF', 'cobadeffxxx']) expect(Bic.parse(bic)).toBe(bic.toUpperCase())
  for (const wrong of ['COBADEF', 'COBADEFFX', '12345678']) expect(() => Bic.parse(wrong)).toThrow()
})

test('writes an IBAN in groups of four, without a space at its end', () => {
  expect(['DE89370400440532013000', 'NO9386011117947', 'SE4550000000058398257466'].map(formatIban)).toEqual([
    'DE89 3704 0044 0532 0130 00',
    'NO93 8601 1117 947',
    'SE45 5000 0000 0583 9825 7466',
  ])
})
