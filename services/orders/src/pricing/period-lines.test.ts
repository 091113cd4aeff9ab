import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderAmounts } from './order-amounts.ts'
import { buildPeriodLines } from './period-lines.ts'
import { prorate } from './billing-period.ts'

const amount = fc.bigInt({ min: 0n, max: 99_999_999n })
const difference = fc.bigInt({ min: -99_999_999n, max: 99_999_999n })

test('an order is never negative, and unused credit is carried over to the cent', () => {
  fc.assert(
    fc.property(amount, amount, fc.array(difference, { maxLength: 5 }), (price, off, prorations) => {
      const discount = off < price ? off : price
      const { lines, carried: credit } = buildPeriodLines({ price, discount, prorations })
      const taxFree = lines.map((line) => ({ ...line, rate: null }))
      const amounts = orderAmounts({ lines: taxFree, discount: { type: 'fixed', amount: discount }, taxBehavior: 'exclusive' })
      expect(amounts.net).toBe(amounts.subtotal - amounts.discount)
      expect(amounts.total).toBe(amounts.net + amounts.tax)
      expect(amounts.net >= 0n && amounts.discount <= amounts.subtotal && credit <= 0n).toBe(true)
      expect(amounts.net + credit).toBe(prorations.reduce((sum, next) => sum + next, price - discount))
      expect(credit === 0n || amounts.net === 0n).toBe(true)
    }),
    { numRuns: 10_000 },
  )
})

test('an order whose amount is not taken is free, and all that is owed is carried over to the cent', () => {
  fc.assert(
    fc.property(amount, amount, fc.array(difference, { maxLength: 5 }), (price, off, prorations) => {
      const discount = off < price ? off : price
      const { lines, carried } = buildPeriodLines({ price, discount, prorations, isCarried: true })
      expect(carried).toBe(prorations.reduce((sum, next) => sum + next, price - discount))
      expect(lines.reduce((sum, line) => sum + line.amount, -discount)).toBe(0n)
    }),
  )
})

test('a discount of the order lowers its price, not its prorations', () => {
  const { lines } = buildPeriodLines({ price: 1_000n, discount: 0n, prorations: [300n, -2_000n] })
  expect(lines.map(({ amount, isDiscountable = true }) => [amount, isDiscountable])).toEqual([
    [1_000n, true],
    [300n, false],
    [-2_000n, false],
    [700n, false],
  ])
})

test('the rest of a period is at most the whole and decreases with time', () => {
  const start = new Date('2026-02-01T00:00:00Z')
  const end = new Date('2026-03-01T00:00:00Z')
  const rest = (at: string) => prorate(2800n, { start, end, at: new Date(at) })
  expect(rest('2026-01-01T00:00:00Z')).toBe(2800n)
  expect(rest('2026-02-01T00:00:00Z')).toBe(2800n)
  expect(rest('2026-02-15T00:00:00Z')).toBe(1400n)
  expect(rest('2026-02-28T12:00:00Z')).toBe(50n)
  expect(rest('2026-03-02T00:00:00Z')).toBe(0n)
})
