import { expect, test } from 'vitest'
import { CurrencyInput, currencyDigits } from './money.ts'

test('the minor unit is that of ISO 4217, also where shops drop it', () => {
  expect(['VND', 'JPY', 'XOF'].map(currencyDigits)).toEqual([0, 0, 0])
  expect(['IDR', 'COP', 'IQD', 'MGA', 'UYW'].map(currencyDigits)).toEqual([2, 2, 3, 2, 4])
})

test('currencies that do not exist, metals, test codes and codes in capitals are refused', () => {
  for (const code of ['abc', 'xau', 'xts', 'USD', 'us', '']) expect(CurrencyInput.safeParse(code).success).toBe(false)
  for (const code of ['usd', 'jpy', 'kwd', 'clf', 'eur']) expect(CurrencyInput.safeParse(code).success).toBe(true)
})
