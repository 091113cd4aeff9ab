import type { Address } from '@quittance/contracts/address'
import type { TaxId } from '@quittance/contracts/tax-id'
import type { Transaction } from '@quittance/runtime/handler'
import type { TaxRate } from './tax-amounts.ts'

/** What tax is asked about. */
export interface TaxedSale {
  organizationId: string
  /** Of the buyer; null where it is not known. */
  address: Address | null
  taxId: TaxId | null
  /** Amounts as advertised, in minor units. */
  lines: readonly { productId: string; amount: bigint }[]
}

/**
 * What tells which tax falls on a sale. Rates are the answer, not amounts, so that there is one arithmetic whoever knows the rates.
 * It may be asked again for the same sale, and must not remember one that was never made.
 */
export interface TaxCalculator {
  /** A rate for each line, null where no tax falls on it. Null as a whole when the buyer's country has to be known first. */
  ratesFor(sale: TaxedSale, context: Pick<Transaction, 'rows'>): Promise<(TaxRate | null)[] | null>
}
