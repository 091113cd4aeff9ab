import { divideRounded } from '../orders/rounding.ts'

/** What of an order there is to refund. All amounts are minor units. */
export interface Refundable {
  net: bigint
  tax: bigint
  refunded: bigint
  refundedTax: bigint
}

/**
 * The tax that goes back with this much of the net amount: in proportion, and with the last of the net amount all that is left.
 * So refunds add up to the order's net and tax exactly, however it is split. `amount` is at most `net − refunded`.
 */
export function refundedTaxOf({ net, tax, refunded, refundedTax }: Refundable, amount: bigint): bigint {
  const left = tax - refundedTax
  if (amount === net - refunded) return left
  const share = divideRounded(amount * tax, net)
  return share < left ? share : left
}
