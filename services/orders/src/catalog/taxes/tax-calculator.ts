import { sharedByCustomers } from '@quittance/sql/sql-runner'
import type { Address } from '@quittance/contracts/address'
import { findSubdivisions } from '@quittance/contracts/countries'
import type { TaxId } from '@quittance/contracts/tax-id'
import type { Transaction } from '@quittance/runtime/handler'
import type { TaxRate } from '../../pricing/tax-amounts.ts'
import { isBusinessTaxId, isTaxIdOfCountry } from '@quittance/runtime/tax-id'

/** A purchase whose tax is determined. */
export interface TaxableSale {
  organizationId: string
  /** Address of the buyer; null if unknown. */
  address: Address | null
  taxId: TaxId | null
  /** Amounts as advertised, in minor units. */
  lines: readonly { productId: string; amount: bigint }[]
  /** Before a sale: the state must be known too where the rate depends on it. Afterwards the rate of the country is the best one. */
  needsState?: boolean
}

/**
 * Port that determines the tax of a purchase. It returns rates, not amounts, so that amounts are computed in one place, whatever the source
 * of the rates. It may be called again for the same purchase and must not record one that was never made.
 */
export interface TaxCalculator {
  /** Returns a rate for each line, null if no tax applies. Returns null instead if the buyer's country, or state, must be known first. */
  ratesFor(sale: TaxableSale, context: Pick<Transaction, 'sql'>): Promise<(TaxRate | null)[] | null>
}

/** Prefers the rate of the buyer's state to that of their country; the same row also shows whether any rates exist. */
const find = `
  select exists (select from tax_rates where organization_id = :organization_id) as "chargesTax",
    exists (select from tax_rates where organization_id = :organization_id and country = :country and state is not null) as "dependsOnState",
    (select row_to_json(t) from tax_rates t
     where organization_id = :organization_id and country = :country and (state is null or state = :state)
     order by state nulls last limit 1) as rate
  where :organization_id::uuid = any (:scope_organizations::uuid[]) and ${sharedByCustomers}`

interface RateRow {
  chargesTax: boolean
  dependsOnState: boolean
  rate: { name: string; country: string; state: string | null; parts_per_million: number; reverse_charge: boolean } | null
}

/** Rates set by the organization, by country and state of the buyer, the same for all products. */
export const configuredRates: TaxCalculator = {
  async ratesFor({ organizationId, address, taxId, lines, needsState = false }, { sql }) {
    const place = { country: address?.country ?? null, state: address?.state ?? null }
    const [found] = await sql<RateRow>('tax-rate.of-place', find, { organization_id: organizationId, ...place })
    if (!found) throw new Error(`Organization ${organizationId} is outside of the scope`)
    if (!found.chargesTax) return lines.map(() => null)
    if (!address) return null
    if (needsState && found.dependsOnState && address.state === null && findSubdivisions(address.country) !== null) return null
    if (!found.rate) return lines.map(() => null)
    const { name, country, state, parts_per_million, reverse_charge } = found.rate
    const rate: TaxRate = {
      name,
      country,
      state,
      partsPerMillion: BigInt(parts_per_million),
      // A customer who moved may still have the tax id of the former country.
      isReverseCharge: reverse_charge && taxId !== null && isBusinessTaxId(taxId) && isTaxIdOfCountry(taxId[0], address.country),
    }
    return lines.map(() => rate)
  },
}
