import { expect, test } from 'vitest'
import { computeCreditUsed, computeUnusedCredit, isChargePending, settleFinally, undoCredit } from './product-change.ts'
import type { ReturnableOrder } from './returnable.ts'

const billedBy: ReturnableOrder = {
  netAmount: 3_000n,
  taxAmount: 0n,
  taxBehavior: 'exclusive',
  refundedAmount: 0n,
  refundedTaxAmount: 0n,
  refundingAmount: 0n,
  refundingTaxAmount: 0n,
  creditableAmount: 3_000n,
  creditUsedAmount: 0n,
  creditedAmount: 0n,
}
const middle = { start: new Date('2026-06-01'), end: new Date('2026-07-01'), at: new Date('2026-06-16') }

test.each([
  ['half of a paid period', { periodAmount: 3_000n, billedBy }, 1_500n],
  ['what was not refunded', { periodAmount: 3_000n, billedBy: { ...billedBy, refundedAmount: 2_000n } }, 1_000n],
  ['half of a charge that is still pending', { periodAmount: 3_000n, billedBy: null }, 1_500n],
])('credits %s', (...[, unused, credit]) => {
  expect(computeUnusedCredit({ ...unused, period: middle })).toBe(credit)
})

const charge = { amount: 500n, productPriceId: 'large', creditedOrderId: null }
test.each([
  ['a charge of the price', [charge], true],
  ['no proration', [], false],
  ['a charge of another price', [{ ...charge, productPriceId: 'small' }], false],
  ['the reversal of a charge', [{ ...charge, amount: -500n }], false],
  ['a proration of nothing', [{ ...charge, amount: 0n }], false],
  ['credit that is owed again to an order', [{ ...charge, creditedOrderId: 'o' }], false],
])('a product is charged if there is %s', (...[, pending, isPending]) => {
  expect(isChargePending(pending, 'large')).toBe(isPending)
})

test('an order uses up the credits of earlier orders that it bills, less what it carries over', () => {
  const pending = [charge, { amount: -700n, creditedOrderId: 'o' }, { amount: -200n, creditedOrderId: 'p' }, { amount: -50n }]
  expect(computeCreditUsed(pending)).toBe(900n)
  expect(computeCreditUsed(pending, -400n)).toBe(500n)
})

test.each([
  ['all of it', { own: 500n, credited: 500n, earlier: 200n, used: 700n }, { takenBack: 500n, refunded: 0n }],
  ['what a refund left of it', { own: 500n, credited: 300n, earlier: 0n, used: 300n }, { takenBack: 300n, refunded: 0n }],
  ['not more than is used', { own: 500n, credited: 500n, earlier: 200n, used: 400n }, { takenBack: 400n, refunded: 200n }],
])('an undone change takes back %s', (...[, credit, result]) => {
  expect(undoCredit(credit)).toEqual(result)
})

test.each([
  ['a sum above zero is billed', [600n, -500n], { kind: 'bill', amount: 100n }],
  ['a sum below zero is released', [500n, -600n], { kind: 'release', credit: 100n }],
  ['nothing is billed for zero', [500n, -500n], { kind: 'release', credit: 0n }],
])('at the end of a subscription %s', (...[, amounts, settlement]) => {
  expect(settleFinally(amounts.map((amount) => ({ amount })))).toEqual(settlement)
})
