import { divideRounded } from './rounding.ts'

/** What is left of an order, in minor units. */
export interface LeftOfOrder {
  net: bigint
  tax: bigint
  /** Net and tax that were neither refunded nor reserved. */
  leftNet: bigint
  leftTax: bigint
}

/**
 * Splits an amount that was refunded with tax into its net amount and its tax; the last of an order returns exactly what is left. Returns null
 * if it is more than what is left, or nothing.
 */
export function splitGross({ net, tax, leftNet, leftTax }: LeftOfOrder, gross: bigint): { amount: bigint; taxAmount: bigint } | null {
  if (gross < 1n || gross > leftNet + leftTax || leftNet < 1n) return null
  const share = divideRounded(gross * net, net + tax)
  const least = gross > leftTax ? gross - leftTax : 1n
  const amount = share < least ? least : share > leftNet ? leftNet : share
  return { amount, taxAmount: gross - amount }
}
