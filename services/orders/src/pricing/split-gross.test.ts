import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitGross } from './split-gross.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 10n })

test('net and tax of a refunded amount add up to it, and never exceed what is left', () => {
  fc.assert(
    fc.property(amount, amount, fc.array(fc.bigInt({ min: 1n, max: 10n ** 9n }), { maxLength: 20 }), (net, tax, parts) => {
      let [leftNet, leftTax] = [net, tax]
      for (const part of [...parts, leftNet + leftTax]) {
        const gross = part < leftNet + leftTax ? part : leftNet + leftTax
        const split = splitGross({ net, tax, leftNet, leftTax }, gross)
        if (!split) {
          expect(leftNet < 1n || gross < 1n).toBe(true)
          continue
        }
        expect(split.amount + split.taxAmount).toBe(gross)
        expect(split.amount > 0n && split.amount <= leftNet && split.taxAmount >= 0n && split.taxAmount <= leftTax).toBe(true)
        leftNet -= split.amount
        leftTax -= split.taxAmount
      }
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  {
    title: 'the share of the tax',
    left: { net: 1000n, tax: 200n, leftNet: 1000n, leftTax: 200n },
    gross: 600n,
    expected: { amount: 500n, taxAmount: 100n },
  },
  {
    title: 'the last of it',
    left: { net: 1000n, tax: 199n, leftNet: 500n, leftTax: 100n },
    gross: 600n,
    expected: { amount: 500n, taxAmount: 100n },
  },
  { title: 'more than is left', left: { net: 1000n, tax: 200n, leftNet: 500n, leftTax: 100n }, gross: 601n, expected: null },
  { title: 'nothing', left: { net: 1000n, tax: 0n, leftNet: 1000n, leftTax: 0n }, gross: 0n, expected: null },
  { title: 'one cent', left: { net: 1n, tax: 1000n, leftNet: 1n, leftTax: 1000n }, gross: 1n, expected: { amount: 1n, taxAmount: 0n } },
])('$title', ({ left, gross, expected }) => {
  expect(splitGross(left, gross)).toEqual(expected)
})
