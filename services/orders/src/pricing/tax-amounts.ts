import { divideRounded } from './rounding.ts'

/** Whether advertised prices include tax or tax is added. */
export type TaxBehavior = 'inclusive' | 'exclusive'

/** Tax rate of a line at the time of sale. 200000 parts per million are 20 %. */
export interface TaxRate {
  /** As printed: VAT, GST, Sales tax. */
  name: string
  /** ISO 3166-1 alpha-2. */
  country: string
  /** ISO 3166-2, if the rate applies to a part of the country. */
  state: string | null
  partsPerMillion: bigint
  /** Reverse charge: the buyer owes the tax to their own state, so nothing is charged; the rate is the one that would have applied. */
  isReverseCharge: boolean
}

const million = 1_000_000n

/** Returns the tax added to an amount. */
export function addedTax(net: bigint, rate: TaxRate): bigint {
  return rate.isReverseCharge ? 0n : divideRounded(net * rate.partsPerMillion, million)
}

/** Returns the tax included in an amount. Under reverse charge it is zero: the amount stays as advertised. */
export function includedTax(gross: bigint, rate: TaxRate): bigint {
  return rate.isReverseCharge ? 0n : divideRounded(gross * rate.partsPerMillion, million + rate.partsPerMillion)
}
