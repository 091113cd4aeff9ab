import { expect, test } from 'vitest'
import { formatMoney, formatTypedMoney, parseMoney } from './money.ts'

test('formats minor units with the digits of the currency', () => {
  const format = (amount: number, currency: string, locale: string) => formatMoney(amount, { currency, locale }).replaceAll(/\s/g, ' ')
  expect(format(5831, 'usd', 'en')).toBe('$58.31')
  expect(format(5831, 'eur', 'de')).toBe('58,31 €')
  expect(format(5831, 'jpy', 'ja')).toBe('￥5,831')
  expect(format(1, 'kwd', 'en')).toBe('KWD 0.001')
  expect(format(999_999_999_999, 'usd', 'en')).toBe('$9,999,999,999.99')
  expect(format(-5, 'usd', 'en')).toBe('-$0.05')
})

test.each([
  ['12', 'en', 'usd', 1200],
  ['12.5', 'en', 'usd', 1250],
  ['$1,234.50', 'en', 'usd', 123_450],
  ['1.234,50 €', 'de', 'eur', 123_450],
  ['12.50', 'de', 'eur', 1250],
  ['1.000', 'de', 'eur', 100_000],
  ['1.000.000', 'en', 'usd', 100_000_000],
  ['1 234,5', 'fr', 'eur', 123_450],
  ['1’234.50', 'de-CH', 'chf', 123_450],
  ['١٢٫٥', 'ar', 'usd', 1250],
  ['500', 'ja', 'jpy', 500],
  ['1.234', 'en', 'kwd', 1234],
])('reads %s in %s as %s', (...[text, locale, currency, amount]) => {
  expect(parseMoney(text, { currency, locale })).toBe(amount)
})

test.each([
  ['1.000', 'en', 'usd'],
  ['1,000', 'de', 'eur'],
  ['1.000', 'de', 'kwd'],
  ['12.345', 'en', 'usd'],
  ['1,23,456', 'en', 'usd'],
  ['1.2.3', 'en', 'usd'],
  ['-5', 'en', 'usd'],
  ['1e5', 'en', 'usd'],
  ['5.5', 'ja', 'jpy'],
  ['', 'en', 'usd'],
  ['9'.repeat(30), 'en', 'usd'],
])('rejects %s in %s (%s): no sum, or one with two readings', (text, locale, currency) => {
  expect(parseMoney(text, { currency, locale })).toBeNull()
})

test('a formatted field is read as the same amount in every language', () => {
  for (const locale of ['ar', 'de', 'en', 'es', 'fr', 'he', 'it', 'ja', 'ko', 'nl', 'pt', 'zh', 'zh-Hant']) {
    for (const amount of [50, 5831, 123_456_789]) {
      const format = { currency: 'eur', locale }
      expect(parseMoney(formatTypedMoney(amount, format), format)).toBe(amount)
      expect(parseMoney(formatMoney(amount, format), format)).toBe(amount)
    }
  }
})
