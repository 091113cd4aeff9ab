import { defineEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@quittance/contracts/metadata'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'

export const CheckoutLinkSchema = defineEntity({
  name: 'CheckoutLink',
  tableName: 'checkout_links',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    clientSecret: p.text(),
    productIds: p.array(),
    discountId: p.uuid().nullable(),
    label: p.text().nullable(),
    successUrl: p.text().nullable(),
    allowDiscountCodes: p.boolean(),
    requireBillingAddress: p.boolean(),
    metadata: p.json<Metadata>(),
    deletedAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

/** Absent keys, and null where null has no meaning, leave the value unchanged. */
interface CheckoutLinkChange {
  products?: readonly string[] | null | undefined
  discount_id?: string | null | undefined
  label?: string | null | undefined
  success_url?: string | null | undefined
  allow_discount_codes?: boolean | null | undefined
  require_billing_address?: boolean | null | undefined
  metadata?: Metadata | undefined
}

export class CheckoutLink extends CheckoutLinkSchema.class {
  change(change: CheckoutLinkChange): void {
    if (change.products) this.productIds = [...new Set(change.products)]
    if (change.discount_id !== undefined) this.discountId = change.discount_id
    if (change.label !== undefined) this.label = change.label || null
    if (change.success_url !== undefined) this.successUrl = change.success_url
    this.allowDiscountCodes = change.allow_discount_codes ?? this.allowDiscountCodes
    this.requireBillingAddress = change.require_billing_address ?? this.requireBillingAddress
    if (change.metadata) this.metadata = change.metadata
  }
}
CheckoutLinkSchema.setClass(CheckoutLink)
