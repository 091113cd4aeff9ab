import { CurrencyInput, currencyDigits } from '@quittance/contracts/money'
import { expect, test } from 'vitest'
import { fromStripeAmount, stripeLimits, toStripeAmount } from './stripe-amounts.ts'

const charged = CurrencyInput.options.filter((currency) => stripeLimits(currency) !== null)

/** Decimals of Stripe's unit where they differ from ISO 4217, as its documentation lists them. */
const documented: Record<string, number> = { isk: 2, ugx: 2, mga: 0 }

test.each([
  ['isk', 5n, 500],
  ['ugx', 5n, 500],
  ['mga', 500n, 5],
  ['kwd', 1230n, 1230],
  ['jpy', 500n, 500],
  ['eur', 499n, 499],
  ['idr', 999_999_999_999n, 999_999_999_999],
])('sends an amount of %s in the units of Stripe [payments 56]', (currency, amount, sent) => {
  expect(toStripeAmount({ amount, currency })).toBe(sent)
  expect(fromStripeAmount(sent, currency)).toEqual({ amount, currency })
})

test.each([
  ['kwd', 1234n],
  ['bhd', 1n],
  ['mga', 505n],
  ['eur', 100_000_000n],
  ['eur', 0n],
  ['eur', -1n],
  ['clf', 10_000n],
  ['lyd', 10_000n],
])('does not send %s %i [payments 56]', (currency, amount) => {
  expect(toStripeAmount({ amount, currency })).toBeNull()
})

test('charges most currencies', () => {
  expect(charged.length).toBeGreaterThan(130)
})

test.each(charged)('converts both limits of %s there and back [payments 56]', (currency) => {
  const limits = stripeLimits(currency)
  for (const amount of [limits?.least ?? 0n, limits?.most ?? 0n]) {
    const sent = toStripeAmount({ amount, currency }) ?? Number.NaN
    expect(fromStripeAmount(sent, currency)).toEqual({ amount, currency })
    const decimals = documented[currency] ?? currencyDigits(currency)
    expect(sent / 10 ** decimals).toBeCloseTo(Number(amount) / 10 ** currencyDigits(currency), 6)
  }
})

test.each(charged)('does not send more than the largest amount of %s', (currency) => {
  expect(toStripeAmount({ amount: (stripeLimits(currency)?.most ?? 0n) * 10n, currency })).toBeNull()
})

test.each([
  [505, 'isk'],
  [1.5, 'eur'],
  [-1, 'eur'],
  [Number.MAX_SAFE_INTEGER + 1, 'eur'],
  [Number.NaN, 'eur'],
  [5, 'EURO'],
])('reads %d %s as no amount', (amount, currency) => {
  expect(fromStripeAmount(amount, currency)).toBeNull()
})
