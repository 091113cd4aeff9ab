import { divideRounded } from '../orders/rounding.ts'

/** Whether advertised prices have their tax in them or get it on top. */
export type TaxBehavior = 'inclusive' | 'exclusive'

/** What tax falls on a line, as it was when the line was sold. 200000 parts per million are 20 %. */
export interface TaxRate {
  /** As it is printed: VAT, GST, Sales tax. */
  name: string
  /** ISO 3166-1 alpha-2. */
  country: string
  /** ISO 3166-2, where the rate is of a part of the country. */
  state: string | null
  partsPerMillion: bigint
  /** The buyer owes the tax to their own state, so nothing is charged; the rate is what would have been. */
  isReverseCharge: boolean
}

const million = 1_000_000n

/** The tax that comes on top of an amount. */
export function taxOn(net: bigint, rate: TaxRate): bigint {
  return rate.isReverseCharge ? 0n : divideRounded(net * rate.partsPerMillion, million)
}

/** The tax that an amount has in it. An amount whose tax the buyer owes has none: it stays what was advertised. */
export function taxWithin(gross: bigint, rate: TaxRate): bigint {
  return rate.isReverseCharge ? 0n : divideRounded(gross * rate.partsPerMillion, million + rate.partsPerMillion)
}
