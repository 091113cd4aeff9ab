import { provesBusiness } from '../customers/tax-id.ts'
import type { TaxRate } from './tax-amounts.ts'
import type { TaxCalculator } from './tax-calculator.ts'

/** The rate of the buyer's state before that of their country; one row tells also whether there are rates at all. */
const find = `
  select exists (select from tax_rates where organization_id = :organization_id) as "chargesTax",
    (select row_to_json(t) from tax_rates t
     where organization_id = :organization_id and country = :country and (state is null or state = :state)
     order by state nulls last limit 1) as rate`

interface Found {
  chargesTax: boolean
  rate: { name: string; country: string; state: string | null; parts_per_million: number; reverse_charge: boolean } | null
}

/** Rates as the organization has set them, by country and state of the buyer, the same for all products. */
export const configuredRates: TaxCalculator = {
  async ratesFor({ organizationId, address, taxId, lines }, { rows }) {
    const place = { country: address?.country ?? null, state: address?.state ?? null }
    const [found] = await rows<Found>('tax-rate.of-place', find, { organization_id: organizationId, ...place })
    if (!found?.chargesTax) return lines.map(() => null)
    if (!address) return null
    if (!found.rate) return lines.map(() => null)
    const { name, country, state, parts_per_million, reverse_charge } = found.rate
    const rate: TaxRate = {
      ...{ name, country, state },
      partsPerMillion: BigInt(parts_per_million),
      isReverseCharge: reverse_charge && taxId !== null && provesBusiness(taxId),
    }
    return lines.map(() => rate)
  },
}
