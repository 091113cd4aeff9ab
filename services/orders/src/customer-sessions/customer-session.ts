import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

export const CustomerSessionSchema = defineEntity({
  name: 'CustomerSession',
  tableName: 'customer_sessions',
  properties: { ...aggregate, organizationId: p.uuid(), customerId: p.uuid(), tokenHash: p.text(), expiresAt: p.datetime() },
  filters: organizationFilter,
})
export class CustomerSession extends CustomerSessionSchema.class {}
CustomerSessionSchema.setClass(CustomerSession)
