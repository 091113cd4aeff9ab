import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  computeCreditRoom,
  computeRefundRoom,
  computeRefundTax,
  releaseCredit,
  takeBackCredit,
  type ReturnableOrder,
} from './returnable.ts'

/** 10.00 and 1.90 tax, paid in money. */
const paid: ReturnableOrder = {
  netAmount: 1_000n,
  taxAmount: 190n,
  taxBehavior: 'exclusive',
  refundedAmount: 0n,
  refundedTaxAmount: 0n,
  refundingAmount: 0n,
  refundingTaxAmount: 0n,
  creditableAmount: 1_000n,
  creditUsedAmount: 0n,
  creditedAmount: 0n,
}
const inclusive: ReturnableOrder = { ...paid, taxBehavior: 'inclusive', creditableAmount: 1_190n }
const refunds = { refundedAmount: 200n, refundedTaxAmount: 38n, refundingAmount: 100n, refundingTaxAmount: 19n }
/** Billed 10.00 and used up 6.00 of earlier credits. */
const paidByCredits: ReturnableOrder = { ...paid, netAmount: 400n, taxAmount: 76n, creditUsedAmount: 600n }

test.each([
  ['all that was paid', paid, 1_000n],
  ['with tax if prices are inclusive', inclusive, 1_190n],
  ['less what was refunded or is being refunded', { ...paid, ...refunds }, 700n],
  ['less refunds with their tax if prices are inclusive', { ...inclusive, ...refunds }, 833n],
  ['less what was credited', { ...paid, creditedAmount: 300n }, 700n],
  ['what was paid by earlier credits too', paidByCredits, 1_000n],
  ['what was paid by earlier credits, less refunds', { ...paidByCredits, refundedAmount: 100n }, 900n],
  ['not more than the time that was billed', { ...paidByCredits, creditableAmount: 700n }, 700n],
  ['not more than was paid for the time', { ...paidByCredits, creditUsedAmount: 0n }, 400n],
  ['at least the amount of the order', { ...paid, creditableAmount: 0n }, 1_000n],
  ['nothing if more was returned', { ...paid, ...refunds, creditedAmount: 900n }, 0n],
])('can be credited: %s', (...[, order, room]) => {
  expect(computeCreditRoom(order)).toBe(room)
})

test.each([
  ['all of it', paid, 0n, 1_000n],
  ['less what was refunded or is being refunded', { ...paid, ...refunds }, 0n, 700n],
  ['less what was credited', { ...paid, creditedAmount: 300n }, 0n, 700n],
  ['less what was credited and cannot be taken back', { ...paid, creditedAmount: 300n }, 100n, 800n],
  ['all of it, if every credit can be taken back', { ...paid, creditedAmount: 300n }, 500n, 1_000n],
  ['the amount that fits with its tax if prices are inclusive', { ...inclusive, creditedAmount: 595n }, 0n, 500n],
  ['one minor unit less if its tax does not fit', { ...inclusive, creditedAmount: 596n }, 0n, 499n],
  ['nothing of what is credited', { ...paid, creditedAmount: 1_000n }, 0n, 0n],
  ['nothing of what is refunded', { ...paid, refundedAmount: 1_000n, refundedTaxAmount: 190n }, 0n, 0n],
])('can be refunded: %s', (...[, order, recoverable, room]) => {
  expect(computeRefundRoom(order, recoverable)).toBe(room)
})

test('the refundable amount is the greatest whose return with tax is still there', () => {
  const drawn = fc.record({
    netAmount: fc.bigInt({ min: 1n, max: 10_000n }),
    taxAmount: fc.bigInt({ min: 0n, max: 3_000n }),
    creditedAmount: fc.bigInt({ min: 0n, max: 13_000n }),
  })
  fc.assert(
    fc.property(drawn, (amounts) => {
      const order = { ...inclusive, ...amounts }
      const room = order.netAmount + order.taxAmount - order.creditedAmount
      if (room < 0n) return
      const refundable = computeRefundRoom(order)
      expect(refundable + computeRefundTax(order, refundable) <= room).toBe(true)
      if (refundable === order.netAmount) return
      expect(refundable + 1n + computeRefundTax(order, refundable + 1n) > room).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

test('the tax of a refund counts refunds in progress', () => {
  expect(computeRefundTax({ ...paid, taxAmount: 199n, refundingAmount: 500n, refundingTaxAmount: 100n }, 500n)).toBe(99n)
  expect(computeRefundTax({ ...paid, ...refunds }, 350n)).toBe(67n)
})

test('a refund takes back credit that no order has used, then that of later orders, and names what is missing', () => {
  const order = { ...paid, creditedAmount: 600n }
  const later = [
    { ...paid, creditUsedAmount: 150n },
    // It returned almost everything.
    { ...paid, creditUsedAmount: 200n, creditedAmount: 1_180n },
    { ...paid, creditUsedAmount: 0n },
  ]
  const taken = { fromOutstanding: 100n, fromLater: [150n, 20n, 0n], total: 270n, missing: 30n }
  expect(takeBackCredit(order, 700n, { outstanding: 100n, later })).toEqual(taken)
  expect(takeBackCredit(order, 550n, { outstanding: 100n, later })).toEqual({
    ...taken,
    fromLater: [50n, 0n, 0n],
    total: 150n,
    missing: 0n,
  })
  expect(takeBackCredit(order, 400n, { outstanding: 100n, later })).toMatchObject({ total: 0n, missing: 0n })
  expect(takeBackCredit({ ...order, creditedAmount: 1_000n }, 1_000n, { outstanding: 5_000n, later: [] })).toMatchObject({ total: 1_000n })
})

test('a refund made elsewhere takes back credit for its own tax', () => {
  const order = { ...inclusive, creditedAmount: 595n }
  expect(takeBackCredit(order, 1_000n, { outstanding: 1_000n, later: [] })).toMatchObject({ total: 595n })
  expect(takeBackCredit(order, 600n, { outstanding: 1_000n, later: [] })).toMatchObject({ total: 119n })
  expect(takeBackCredit(order, 600n, { outstanding: 1_000n, later: [], taxAmount: 0n })).toMatchObject({ total: 5n })
})

test('a credit that was not used up is released to the orders that it came from', () => {
  const orders = [
    // It used up as much of earlier credits, which can be returned instead.
    { ...paid, creditedAmount: 300n, creditUsedAmount: 100n },
    { ...inclusive, ...refunds, creditedAmount: 500n },
    { ...paid, creditedAmount: 100n, creditUsedAmount: 300n },
  ]
  expect(releaseCredit(orders, 400n)).toEqual([200n, 200n, 0n])
  expect(releaseCredit(orders, 1_000n)).toEqual([200n, 500n, 0n])
  expect(releaseCredit(orders, 0n)).toEqual([0n, 0n, 0n])
})
