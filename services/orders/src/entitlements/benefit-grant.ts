import { defineEntity, p, raw } from '@mikro-orm/core'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'

const filterByCheckout = (checkoutId: string) => ({
  [raw(
    (alias) => `exists (select from orders x
      where x.checkout_id = ? and (x.id = ${alias}.order_id or x.subscription_id = ${alias}.subscription_id))`,
    [checkoutId],
  )]: [],
})

export const BenefitGrantSchema = defineEntity({
  name: 'BenefitGrant',
  tableName: 'benefit_grants',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    benefitId: p.uuid(),
    customerId: p.uuid(),
    /** Exactly one is set: a grant belongs to an order or to a subscription. */
    orderId: p.uuid().nullable(),
    subscriptionId: p.uuid().nullable(),
    grantedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    properties: p.json<Record<string, unknown>>(),
  },
  filters: { ...organizationFilter, ...customerFilter(filterByCheckout) },
})

export class BenefitGrant extends BenefitGrantSchema.class {
  /** Grants the benefit again after a revocation. Returns false if it was not revoked. */
  grant(now: Date): boolean {
    if (this.grantedAt) return false
    this.grantedAt = now
    this.revokedAt = null
    return true
  }

  /** Returns false if it was already revoked. */
  revoke(now: Date): boolean {
    if (this.revokedAt) return false
    this.revokedAt = now
    this.grantedAt = null
    return true
  }
}
BenefitGrantSchema.setClass(BenefitGrant)
