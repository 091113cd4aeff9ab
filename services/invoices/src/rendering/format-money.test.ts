import { expect, test } from 'vitest'
import { moneyFormat } from './format-money.ts'

/** Intl separates currency code and digits by a no-break space. */
const money = (amount: number | bigint, currency: string) => moneyFormat(currency, 'en-US')(amount).replaceAll('\u00a0', ' ')

test.each([
  [123_450, 'usd', '$1,234.50'],
  [0, 'usd', '$0.00'],
  [5, 'usd', '$0.05'],
  [1000, 'jpy', '¥1,000'],
  [1234, 'kwd', 'KWD 1.234'],
  [7, 'kwd', 'KWD 0.007'],
  [12_345, 'clf', 'CLF 1.2345'],
  [150_000, 'huf', 'HUF 1,500.00'],
  [9900, 'eur', '€99.00'],
])('formats %i minor units of %s as %s', (amount, currency, text) => {
  expect(money(amount, currency)).toBe(text)
})

test.each([
  [-250, 'usd', '-$2.50'],
  [-5, 'usd', '-$0.05'],
  [-1000, 'jpy', '-¥1,000'],
  [-1, 'kwd', '-KWD 0.001'],
])('formats %i minor units of %s with a minus: %s', (amount, currency, text) => {
  expect(money(amount, currency)).toBe(text)
})

test('keeps every digit of an amount that a float cannot represent', () => {
  expect(money(9_007_199_254_740_993n, 'usd')).toBe('$90,071,992,547,409.93')
})

test.each([
  ['de-CH', 'chf', "CHF 1'234.50", "CHF-1'234.50"],
  ['de', 'eur', '1.234,50 €', '-1.234,50 €'],
  ['fr', 'eur', '1 234,50 €', '-1 234,50 €'],
  ['ja', 'jpy', '¥123,450', '-¥123,450'],
  ['pt-BR', 'brl', 'R$ 1.234,50', '-R$ 1.234,50'],
  ['hi-IN', 'inr', '₹1,234.50', '-₹1,234.50'],
])('formats for %s an amount of %s as %s, negative as %s', (...[locale, currency, text, negative]) => {
  const read = (amount: number) => moneyFormat(currency, locale)(amount).normalize('NFKC').replaceAll(/\s/g, ' ').replace('’', "'")
  expect(read(123_450)).toBe(text)
  expect(read(-123_450)).toBe(negative)
})
