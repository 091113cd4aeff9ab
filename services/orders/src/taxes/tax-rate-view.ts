import type { TaxRate } from '@quittance/contracts/taxes'
import type { View } from '@quittance/runtime/view'

export const taxRateView: View<TaxRate> = {
  name: 'tax-rate',
  organization: 't.organization_id',
  from: 'tax_rates t',
  columns: `t.id, t.created_at, t.modified_at, t.organization_id, t.country, t.state, t.name,
    trim_scale(t.parts_per_million / 10000.0) as percentage, t.reverse_charge`,
}
