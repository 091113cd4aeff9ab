import { divideRounded } from './rounding.ts'

/** Amounts of an order that determine what can be refunded, in minor units. */
export interface Refundable {
  net: bigint
  tax: bigint
  refunded: bigint
  refundedTax: bigint
}

/**
 * Computes the tax refunded with this much of the net amount. Tax is rounded once for everything refunded so far, so small refunds return
 * no more tax than one refund of their sum; the last of the net amount returns all remaining tax. Refunds therefore add up exactly to the
 * order's net and tax, however it is split. `amount` is at most `net − refunded`.
 */
export function computeRefundedTax({ net, tax, refunded, refundedTax }: Refundable, amount: bigint): bigint {
  if (amount === net - refunded) return tax - refundedTax
  const share = divideRounded((refunded + amount) * tax, net) - refundedTax
  return share > 0n ? share : 0n
}
