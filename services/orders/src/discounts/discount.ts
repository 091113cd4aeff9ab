import { defineEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@quittance/contracts/metadata'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'
import type { DiscountRule } from '../orders/order-amounts.ts'

export const DiscountSchema = defineEntity({
  name: 'Discount',
  tableName: 'discounts',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    name: p.text(),
    type: p.text().$type<'fixed' | 'percentage'>(),
    duration: p.text().$type<'once' | 'forever' | 'repeating'>(),
    durationInMonths: p.integer().nullable(),
    amount: p.bigint('bigint').nullable(),
    currency: p.text().nullable(),
    basisPoints: p.integer().nullable(),
    code: p.text().nullable(),
    startsAt: p.datetime().nullable(),
    endsAt: p.datetime().nullable(),
    maxRedemptions: p.integer().nullable(),
    redemptionsCount: p.integer(),
    productIds: p.array(),
    metadata: p.json<Metadata>(),
  },
  filters: organizationFilter,
})

export class Discount extends DiscountSchema.class {
  /** Whether it can be taken now, for this product and currency. */
  isRedeemable({ productId, currency, now }: { productId: string; currency: string; now: Date }): boolean {
    if (this.startsAt && this.startsAt > now) return false
    if (this.endsAt && this.endsAt <= now) return false
    if (this.maxRedemptions && this.redemptionsCount >= this.maxRedemptions) return false
    if (this.currency && this.currency !== currency) return false
    return this.productIds.length === 0 || this.productIds.includes(productId)
  }

  /** Counts one redemption. The version column makes two at the same time one after the other. */
  redeem(): void {
    this.redemptionsCount += 1
  }

  /** Gives a redemption back after a payment that failed. */
  giveBack(): void {
    this.redemptionsCount -= 1
  }

  rule(): DiscountRule {
    return this.type === 'fixed'
      ? { type: 'fixed', amount: this.amount ?? 0n }
      : { type: 'percentage', basisPoints: BigInt(this.basisPoints ?? 0) }
  }
}
DiscountSchema.setClass(Discount)
