import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

/** One hour: how long a portal link given out by a checkout works. */
export const customerSessionMs = 3_600_000

export const CustomerSessionSchema = defineEntity({
  name: 'CustomerSession',
  tableName: 'customer_sessions',
  properties: { ...aggregate, organizationId: p.uuid(), customerId: p.uuid(), tokenHash: p.text(), expiresAt: p.datetime() },
  filters: organizationFilter,
})
export class CustomerSession extends CustomerSessionSchema.class {}
CustomerSessionSchema.setClass(CustomerSession)
