import { defineEntity, p } from '@mikro-orm/core'
import { RequestValidationError } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { DiscountRule } from '../../pricing/order-amounts.ts'

export const DiscountSchema = defineEntity({
  name: 'Discount',
  tableName: 'discounts',
  properties: {
    ...aggregateProperties,
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

/** Absent keys, and null where null has no meaning, leave the value unchanged. */
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

/** What a discount is to be redeemed for. */
export interface DiscountUse {
  productId: string
  currency: string
  now: Date
}

export class Discount extends DiscountSchema.class {
  /** Type and duration never change, and the value does not change after the first redemption. An equal value is no change. */
  change(change: DiscountChange): void {
    this.assertChangeable(change)
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
      throw RequestValidationError.field(['max_redemptions'], `The discount was already redeemed ${this.redemptionsCount} times.`)
    }
  }

  private assertChangeable(change: DiscountChange): void {
    const used = this.redemptionsCount > 0
    const fixed: [key: keyof DiscountChange, now: unknown, always: boolean][] = [
      ['type', this.type, true],
      ['duration', this.duration, true],
      ['duration_in_months', this.durationInMonths, true],
      ['amount', this.amount === null ? null : Number(this.amount), this.type !== 'fixed' || used],
      // Clients send a currency with every change, whatever the discount; it only matters with an amount.
      ['currency', this.currency, typeof change.amount === 'number'],
      ['basis_points', this.basisPoints, this.type !== 'percentage' || used],
    ]
    const changed = fixed.filter(([key, now, locked]) => locked && change[key] !== undefined && change[key] !== null && change[key] !== now)
    const issues = changed.map(([key]) => ({ loc: ['body', key], msg: 'This field cannot be changed.', type: 'value_error' }))
    if (issues.length > 0) throw new RequestValidationError(issues)
  }

  /** Returns whether it can be redeemed now for this product and currency. */
  isRedeemable(use: DiscountUse): boolean {
    return this.findObstacle(use) === null
  }

  /** Returns why it cannot be redeemed now for this product and currency, for its seller; null if it can. */
  findObstacle({ productId, currency, now }: DiscountUse): string | null {
    if (this.deletedAt) return 'The discount does not exist.'
    if (this.startsAt && this.startsAt > now) return `The discount starts at ${this.startsAt.toISOString()}.`
    if (this.endsAt && this.endsAt <= now) return `The discount ended at ${this.endsAt.toISOString()}.`
    if (this.maxRedemptions && this.redemptionsCount >= this.maxRedemptions) return 'The discount was redeemed as often as allowed.'
    if (!this.hasCurrency(currency)) return `The discount is in ${this.currency}, and the price in ${currency}.`
    return this.appliesTo({ productId, currency }) ? null : 'The discount is for other products.'
  }

  /** Returns whether it lowers prices of this product in this currency. */
  appliesTo({ productId, currency }: { productId: string; currency: string }): boolean {
    return this.hasCurrency(currency) && (this.productIds.length === 0 || this.productIds.includes(productId))
  }

  /** Returns whether it can lower amounts in this currency: a percentage can in every currency. */
  hasCurrency(currency: string): boolean {
    return !this.currency || this.currency === currency
  }

  /** Releases a redemption after a failed payment. */
  releaseRedemption(): void {
    this.redemptionsCount -= 1
  }

  rule(): DiscountRule {
    return this.type === 'fixed'
      ? { type: 'fixed', amount: this.amount ?? 0n }
      : { type: 'percentage', basisPoints: BigInt(this.basisPoints ?? 0) }
  }
}
DiscountSchema.setClass(Discount)
