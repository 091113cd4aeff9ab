import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

/** What a change of product owes or is owed, after discount. Waits until an order bills it. */
export const ProrationSchema = defineEntity({
  name: 'Proration',
  tableName: 'prorations',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    subscriptionId: p.uuid(),
    label: p.text(),
    amount: p.bigint('bigint'),
    productPriceId: p.uuid().nullable(),
    orderId: p.uuid().nullable(),
  },
  filters: organizationFilter,
})
export class Proration extends ProrationSchema.class {}
ProrationSchema.setClass(Proration)
