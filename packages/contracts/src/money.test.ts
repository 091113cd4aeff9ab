import { expect, test } from 'vitest'
import { CurrencyInput, currencyDigits, toDecimal } from './money.ts'

test('uses the minor unit of ISO 4217, also for currencies usually shown without one', () => {
  expect(['VND', 'JPY', 'XOF'].map(currencyDigits)).toEqual([0, 0, 0])
  expect(['IDR', 'COP', 'IQD', 'MGA', 'UYW'].map(currencyDigits)).toEqual([2, 2, 3, 2, 4])
})

test('rejects unknown currencies, metals, test codes and upper-case codes', () => {
  for (const code of ['abc', 'xau', 'xts', 'USD', 'us', '']) expect(CurrencyInput.safeParse(code).success).toBe(false)
  for (const code of ['usd', 'jpy', 'kwd', 'clf', 'eur']) expect(CurrencyInput.safeParse(code).success).toBe(true)
})

test.each([
  [0, 'usd', '0.00'],
  [5, 'usd', '0.05'],
  [-123_450, 'EUR', '-1234.50'],
  [1000, 'jpy', '1000'],
  [-7, 'kwd', '-0.007'],
  [9_007_199_254_740_993n, 'usd', '90071992547409.93'],
])('%i minor units of %s are %s', (amount, currency, text) => {
  expect(toDecimal(amount, currency)).toBe(text)
})
