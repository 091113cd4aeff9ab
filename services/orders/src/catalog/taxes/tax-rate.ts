import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { TaxRate as TaxRateReply } from '@quittance/contracts/taxes'
import type { View } from '@quittance/sql/view'

/** The rate an organization charges buyers of a country, or of a part of it. 200000 parts per million are 20 %. */
export const TaxRateSchema = defineEntity({
  name: 'TaxRate',
  tableName: 'tax_rates',
  properties: {
    ...aggregateProperties,
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

/** Exact, because a rate has at most four digits after the decimal point. */
export function partsPerMillion(percentage: number): number {
  return Math.round(percentage * 10_000)
}

export const taxRateView: View<TaxRateReply> = {
  name: 'tax-rate',
  organization: 't.organization_id',
  from: 'tax_rates t',
  columns: `t.id, t.created_at, t.modified_at, t.organization_id, t.country, t.state, t.name,
    trim_scale(t.parts_per_million / 10000.0) as percentage, t.reverse_charge`,
}
