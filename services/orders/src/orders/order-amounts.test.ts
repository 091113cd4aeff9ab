import fc from 'fast-check'
import { expect, test } from 'vitest'
import { divideRounded, orderAmounts, type DiscountRule } from './order-amounts.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 12n })
const rule: fc.Arbitrary<DiscountRule | null> = fc.oneof(
  fc.constant(null),
  fc.record({ type: fc.constant('fixed' as const), amount }),
  fc.record({ type: fc.constant('percentage' as const), basisPoints: fc.bigInt({ min: 1n, max: 10_000n }) }),
)

test('subtotal − discount = net and net + tax = total, for every purchase, and no amount is negative', () => {
  fc.assert(
    fc.property(fc.array(amount, { minLength: 1, maxLength: 20 }), rule, amount, (lines, discount, tax) => {
      const amounts = orderAmounts({ lines, discount, tax })
      expect(amounts.subtotal - amounts.discount).toBe(amounts.net)
      expect(amounts.net + amounts.tax).toBe(amounts.total)
      expect(amounts.net >= 0n && amounts.discount >= 0n).toBe(true)
    }),
    { numRuns: 10_000 },
  )
})

test.each([
  ['a fixed discount', [1000n, 500n], { type: 'fixed', amount: 300n }, { subtotal: 1500n, discount: 300n, net: 1200n }],
  ['a fixed discount above the price', [500n], { type: 'fixed', amount: 800n }, { subtotal: 500n, discount: 500n, net: 0n }],
  ['ten percent', [1999n], { type: 'percentage', basisPoints: 1000n }, { subtotal: 1999n, discount: 200n, net: 1799n }],
  ['half a cent rounds up', [50n], { type: 'percentage', basisPoints: 100n }, { subtotal: 50n, discount: 1n, net: 49n }],
  ['all of it', [4200n], { type: 'percentage', basisPoints: 10_000n }, { subtotal: 4200n, discount: 4200n, net: 0n }],
] satisfies [string, bigint[], DiscountRule, object][])('%s', (...[, lines, discount, expected]) => {
  expect(orderAmounts({ lines, discount, tax: 0n })).toMatchObject(expected)
})

test('half a minor unit goes away from zero, up and down alike', () => {
  expect([divideRounded(5n, 2n), divideRounded(-5n, 2n), divideRounded(4n, 3n), divideRounded(-4n, 3n)]).toEqual([3n, -3n, 1n, -1n])
})
