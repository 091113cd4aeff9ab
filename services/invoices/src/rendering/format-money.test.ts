import { expect, test } from 'vitest'
import { formatMoney } from './format-money.ts'

/** Intl separates code and figures by a no-break space. */
const money = (amount: number | bigint, currency: string) => formatMoney({ amount, currency }, 'en-US').replaceAll('\u00a0', ' ')

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
])('%i minor units of %s read %s', (amount, currency, text) => {
  expect(money(amount, currency)).toBe(text)
})

test.each([
  [-250, 'usd', '-$2.50'],
  [-5, 'usd', '-$0.05'],
  [-1000, 'jpy', '-¥1,000'],
  [-1, 'kwd', '-KWD 0.001'],
])('%i minor units of %s carry a minus: %s', (amount, currency, text) => {
  expect(money(amount, currency)).toBe(text)
})

test('no digit is lost where a float would lose it', () => {
  expect(money(9_007_199_254_740_993n, 'usd')).toBe('$90,071,992,547,409.93')
})
