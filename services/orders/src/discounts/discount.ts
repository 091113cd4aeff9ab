import { defineEntity, p } from '@mikro-orm/core'
import { RequestValidationError } from '@quittance/contracts/errors'
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
    deletedAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

/** Keys that are absent, or null where null means nothing, leave what is there. */
interface DiscountChange {
  name?: string | null | undefined
  code?: string | null | undefined
  starts_at?: string | null | undefined
  ends_at?: string | null | undefined
  max_redemptions?: number | null | undefined
  type?: 'fixed' | 'percentage' | null | undefined
  duration?: 'once' | 'forever' | 'repeating' | null | undefined
  duration_in_months?: number | null | undefined
  amount?: number | null | undefined
  currency?: string | null | undefined
  basis_points?: number | null | undefined
  products?: readonly string[] | null | undefined
  metadata?: Metadata | undefined
}

export class Discount extends DiscountSchema.class {
  /** Kind and duration never change, and the value not once somebody has had it; the same value again is no change. */
  change(change: DiscountChange): void {
    this.refuseFixed(change)
    if (change.name) this.name = change.name
    if (change.code !== undefined) this.code = change.code
    if (change.starts_at !== undefined) this.startsAt = change.starts_at ? new Date(change.starts_at) : null
    if (change.ends_at !== undefined) this.endsAt = change.ends_at ? new Date(change.ends_at) : null
    if (change.max_redemptions !== undefined) this.maxRedemptions = change.max_redemptions
    if (change.amount !== undefined && change.amount !== null) this.amount = BigInt(change.amount)
    if (change.basis_points) this.basisPoints = change.basis_points
    if (change.products) this.productIds = [...new Set(change.products)]
    if (change.metadata) this.metadata = change.metadata
    if (this.maxRedemptions && this.maxRedemptions < this.redemptionsCount) {
      throw RequestValidationError.field(['max_redemptions'], `It was redeemed ${this.redemptionsCount} times already.`)
    }
  }

  private refuseFixed(change: DiscountChange): void {
    const used = this.redemptionsCount > 0
    const fixed: [key: keyof DiscountChange, now: unknown, always: boolean][] = [
      ['type', this.type, true],
      ['duration', this.duration, true],
      ['duration_in_months', this.durationInMonths, true],
      ['amount', this.amount === null ? null : Number(this.amount), this.type !== 'fixed' || used],
      // Clients send one with every change, whatever the discount; it says something only about an amount.
      ['currency', this.currency, typeof change.amount === 'number'],
      ['basis_points', this.basisPoints, this.type !== 'percentage' || used],
    ]
    const changed = fixed.filter(([key, now, locked]) => locked && change[key] !== undefined && change[key] !== null && change[key] !== now)
    if (changed.length === 0) return
    throw new RequestValidationError(
      changed.map(([key]) => ({ loc: ['body', key], msg: 'This field cannot be changed.', type: 'value_error' })),
    )
  }

  /** Whether it can be taken now, for this product and currency. */
  isRedeemable({ productId, currency, now }: { productId: string; currency: string; now: Date }): boolean {
    if (this.deletedAt) return false
    if (this.startsAt && this.startsAt > now) return false
    if (this.endsAt && this.endsAt <= now) return false
    if (this.maxRedemptions && this.redemptionsCount >= this.maxRedemptions) return false
    if (this.currency && this.currency !== currency) return false
    return this.productIds.length === 0 || this.productIds.includes(productId)
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
