import { defineEntity, p } from '@mikro-orm/core'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

export const BenefitGrantSchema = defineEntity({
  name: 'BenefitGrant',
  tableName: 'benefit_grants',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    benefitId: p.uuid(),
    customerId: p.uuid(),
    /** The one or the other: a benefit is had by an order or by a subscription. */
    orderId: p.uuid().nullable(),
    subscriptionId: p.uuid().nullable(),
    grantedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    properties: p.json<Record<string, unknown>>(),
  },
  filters: { ...organizationFilter, ...customerFilter },
})

export class BenefitGrant extends BenefitGrantSchema.class {
  /** Gives it again after it was revoked. False when it was never taken. */
  grant(now: Date): boolean {
    if (this.grantedAt) return false
    this.grantedAt = now
    this.revokedAt = null
    return true
  }

  /** False when it was revoked before. */
  revoke(now: Date): boolean {
    if (this.revokedAt) return false
    this.revokedAt = now
    this.grantedAt = null
    return true
  }
}
BenefitGrantSchema.setClass(BenefitGrant)
