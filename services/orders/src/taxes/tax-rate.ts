import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

/** What an organization charges buyers of a country, or of a part of it. 200000 parts per million are 20 %. */
export const TaxRateSchema = defineEntity({
  name: 'TaxRate',
  tableName: 'tax_rates',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    country: p.text(),
    state: p.text().nullable(),
    name: p.text(),
    partsPerMillion: p.integer(),
    reverseCharge: p.boolean(),
  },
  filters: organizationFilter,
})
export class TaxRate extends TaxRateSchema.class {}
TaxRateSchema.setClass(TaxRate)

/** Four digits after the decimal point are all there are, so this is exact. */
export function partsPerMillion(percentage: number): number {
  return Math.round(percentage * 10_000)
}
