import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeRefundedTax } from './refund-amounts.ts'

const split = fc
  .record({
    net: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    tax: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    parts: fc.array(fc.bigInt({ min: 1n, max: 10n ** 11n }), { maxLength: 30 }),
  })
  .map(({ net, tax, parts }) => ({ net, tax, parts }))

test('partial refunds never exceed net and tax of the order and finally equal them [66]', () => {
  fc.assert(
    fc.property(split, ({ net, tax, parts }) => {
      let [refunded, refundedTax] = [0n, 0n]
      for (const part of [...parts, net]) {
        const amount = part < net - refunded ? part : net - refunded
        if (amount === 0n) break
        const share = computeRefundedTax({ net, tax, refunded, refundedTax }, amount)
        expect(share >= 0n).toBe(true)
        refunded += amount
        refundedTax += share
        expect(refunded <= net && refundedTax <= tax).toBe(true)
      }
      expect({ refunded, refundedTax }).toEqual({ refunded: net, refundedTax: tax })
    }),
    { numRuns: 10_000 },
  )
})

test('fifty refunds of one cent return as much tax as one refund of fifty cents', () => {
  const order = { net: 100n, tax: 50n, refunded: 0n, refundedTax: 0n }
  for (let count = 1n; count <= 50n; count += 1n) {
    order.refundedTax += computeRefundedTax(order, 1n)
    order.refunded += 1n
    expect(order.refundedTax).toBe((count + 1n) / 2n)
  }
  expect(order.refundedTax).toBe(computeRefundedTax({ ...order, refunded: 0n, refundedTax: 0n }, 50n))
})

test.each([
  { title: 'half of it', order: { net: 1000n, tax: 200n, refunded: 0n, refundedTax: 0n }, amount: 500n, expected: 100n },
  { title: 'half a cent rounds up', order: { net: 1000n, tax: 25n, refunded: 0n, refundedTax: 0n }, amount: 20n, expected: 1n },
  { title: 'the last of it', order: { net: 1000n, tax: 199n, refunded: 500n, refundedTax: 100n }, amount: 500n, expected: 99n },
  {
    title: 'after a refund without tax was reversed',
    order: { net: 100n, tax: 50n, refunded: 1n, refundedTax: 1n },
    amount: 1n,
    expected: 0n,
  },
  { title: 'nothing of a free order', order: { net: 0n, tax: 0n, refunded: 0n, refundedTax: 0n }, amount: 0n, expected: 0n },
  { title: 'no tax, no share', order: { net: 1000n, tax: 0n, refunded: 0n, refundedTax: 0n }, amount: 999n, expected: 0n },
])('$title', ({ order, amount, expected }) => {
  expect(computeRefundedTax(order, amount)).toBe(expected)
})
