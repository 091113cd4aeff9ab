import { computeRefundedTax } from './refund-amounts.ts'
import type { TaxBehavior } from './tax-amounts.ts'

/**
 * Amounts of an order that determine what it can still return, as a refund or as a credit for unused time. In minor units; amounts of
 * credits are at advertised prices: with tax if prices are inclusive. Always: refunded and credited amounts together are at most what was
 * paid, in money or by credits of earlier orders.
 */
export interface ReturnableOrder {
  netAmount: bigint
  taxAmount: bigint
  taxBehavior: TaxBehavior
  refundedAmount: bigint
  refundedTaxAmount: bigint
  refundingAmount: bigint
  refundingTaxAmount: bigint
  /** Value of the time it bills that can be credited; at least its amount. */
  creditableAmount: bigint
  /** Credits of earlier orders that it used up. */
  creditUsedAmount: bigint
  /** Credited to the subscription for unused time. */
  creditedAmount: bigint
}

/** Returns how much of an order can still be credited: at most what was paid for its time, less refunds and earlier credits. */
export function computeCreditRoom(order: ReturnableOrder): bigint {
  const paid = toAdvertised(order)
  const billed = order.creditableAmount > paid ? order.creditableAmount : paid
  return positive(least(computeRoom(order), billed - computeRefunded(order) - order.creditedAmount))
}

/** Returns how much of the net amount can be refunded if up to `recoverable` of its credits is taken back for it. */
export function computeRefundRoom(order: ReturnableOrder, recoverable = 0n): bigint {
  const left = order.netAmount - order.refundedAmount - order.refundingAmount
  const room = computeRoom(order) + least(recoverable, order.creditedAmount)
  if (left <= 0n || computeRefundCost(order, left) <= room) return left
  let [fits, exceeds] = [0n, left]
  while (exceeds - fits > 1n) {
    const middle = (fits + exceeds) / 2n
    if (computeRefundCost(order, middle) <= room) fits = middle
    else exceeds = middle
  }
  return fits
}

/** Computes the tax refunded with this much of the net amount, which is at most what is left of it. */
export function computeRefundTax(order: ReturnableOrder, amount: bigint): bigint {
  const refunded = order.refundedAmount + order.refundingAmount
  const refundedTax = order.refundedTaxAmount + order.refundingTaxAmount
  return computeRefundedTax({ net: order.netAmount, tax: order.taxAmount, refunded, refundedTax }, amount)
}

/** Credits of a subscription that a refund of an earlier order can take back. */
export interface CreditSources {
  /** Credit that no order has used, net of pending charges; zero or more. */
  outstanding: bigint
  /** Orders placed after the refunded one, newest first. */
  later: readonly ReturnableOrder[]
  /** Tax of a refund that was made elsewhere; absent: that of a refund of this amount. */
  taxAmount?: bigint | undefined
}

/** Credit to take back, and what is missing because the buyer has used it. */
interface TakenCredit {
  fromOutstanding: bigint
  fromLater: bigint[]
  total: bigint
  missing: bigint
}

/** Returns the credit to take back, so that this much of the net amount can be refunded: less if there is not enough. */
export function takeBackCredit(order: ReturnableOrder, amount: bigint, { outstanding, later, taxAmount }: CreditSources): TakenCredit {
  const needed = positive(least(order.creditedAmount, computeRefundCost(order, amount, taxAmount) - computeRoom(order)))
  const fromOutstanding = least(needed, outstanding)
  let left = needed - fromOutstanding
  const fromLater = later.map((each) => {
    const taken = positive(least(left, least(each.creditUsedAmount, computeRoom(each))))
    left -= taken
    return taken
  })
  return { fromOutstanding, fromLater, total: needed - left, missing: left }
}

/**
 * Distributes a credit that a subscription did not use up before its end to the orders it came from: what is released can be refunded.
 * Returns the released amount of each order; together at most `credit`.
 */
export function releaseCredit(orders: readonly ReturnableOrder[], credit: bigint): bigint[] {
  let left = credit
  return orders.map((order) => {
    // What the order has used up of earlier credits can be returned instead: that much of its credit blocks no refund.
    const released = positive(least(left, order.creditedAmount - order.creditUsedAmount))
    left -= released
    return released
  })
}

/** Returns what an order can still return in any form. */
function computeRoom(order: ReturnableOrder): bigint {
  return toAdvertised(order) + order.creditUsedAmount - computeRefunded(order) - order.creditedAmount
}

/** Returns what a refund of this much of the net amount returns at advertised prices. */
function computeRefundCost(order: ReturnableOrder, amount: bigint, taxAmount = computeRefundTax(order, amount)): bigint {
  return order.taxBehavior === 'inclusive' ? amount + taxAmount : amount
}

function toAdvertised({ netAmount, taxAmount, taxBehavior }: ReturnableOrder): bigint {
  return taxBehavior === 'inclusive' ? netAmount + taxAmount : netAmount
}

/** Returns what refunds returned or will return, at advertised prices. */
function computeRefunded({ taxBehavior, ...order }: ReturnableOrder): bigint {
  const net = order.refundedAmount + order.refundingAmount
  return taxBehavior === 'inclusive' ? net + order.refundedTaxAmount + order.refundingTaxAmount : net
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
