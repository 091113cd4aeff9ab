/** All amounts are minor units. `net = subtotal − discount`, `total = net + tax`, always. */
export interface OrderAmounts {
  subtotal: bigint
  discount: bigint
  net: bigint
  tax: bigint
  total: bigint
}

/** How a discount is computed. A percentage is in basis points: 10000 is all of it. */
export type DiscountRule = { type: 'fixed'; amount: bigint } | { type: 'percentage'; basisPoints: bigint }

/** What is bought, before discount and tax. */
export interface Purchase {
  lines: readonly bigint[]
  discount: DiscountRule | null
  tax: bigint
}

/** The one arithmetic of checkouts, orders and invoices. A discount never exceeds what it is taken from. */
export function orderAmounts({ lines, discount, tax }: Purchase): OrderAmounts {
  const subtotal = lines.reduce((sum, line) => sum + line, 0n)
  const off = discount ? discountOf(subtotal, discount) : 0n
  const net = subtotal - off
  return { subtotal, discount: off, net, tax, total: net + tax }
}

function discountOf(subtotal: bigint, rule: DiscountRule): bigint {
  const wanted = rule.type === 'fixed' ? rule.amount : divideRounded(subtotal * rule.basisPoints, 10_000n)
  return wanted < subtotal ? wanted : subtotal
}

/** The one rounding rule: half away from zero, for positive and negative amounts alike. `divisor` is positive. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const doubled = 2n * (dividend < 0n ? -dividend : dividend) + divisor
  const magnitude = doubled / (2n * divisor)
  return dividend < 0n ? -magnitude : magnitude
}
