import { isDeepStrictEqual } from 'node:util'
import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '@quittance/contracts/address'
import { ExpiredCheckoutError, NotOpenCheckout, type CheckoutStatus } from '@quittance/contracts/checkouts'
import type { Metadata } from '@quittance/contracts/metadata'
import type { AppliedTax } from '@quittance/contracts/taxes'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'
import type { Discount } from '../discounts/discount.ts'
import type { OrderAmounts } from '../orders/order-amounts.ts'
import type { Product } from '../products/product.ts'
import { appliedTaxes } from '../taxes/applied-taxes.ts'

/** How long a checkout can be confirmed. */
export const checkoutLifetimeMs = 30 * 60_000

export const CheckoutSchema = defineEntity({
  name: 'Checkout',
  tableName: 'checkouts',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    status: p.text().$type<CheckoutStatus>(),
    clientSecret: p.text(),
    expiresAt: p.datetime(),
    successUrl: p.text().nullable(),
    embedOrigin: p.text().nullable(),
    productIds: p.array(),
    productId: p.uuid(),
    productPriceId: p.uuid(),
    discountId: p.uuid().nullable(),
    customerId: p.uuid().nullable(),
    /** A free subscription that is upgraded by it. */
    subscriptionId: p.uuid().nullable(),
    currency: p.text(),
    /** The price as advertised, or what the buyer named; the amounts are computed from it. */
    priceAmount: p.bigint('bigint'),
    amount: p.bigint('bigint'),
    discountAmount: p.bigint('bigint'),
    /** Null until the country of the buyer is known, where that matters. */
    taxAmount: p.bigint('bigint').nullable(),
    taxes: p.json<AppliedTax[]>(),
    allowDiscountCodes: p.boolean(),
    requireBillingAddress: p.boolean(),
    isBusinessCustomer: p.boolean(),
    externalCustomerId: p.text().nullable(),
    customerName: p.text().nullable(),
    customerEmail: p.text().nullable(),
    customerIpAddress: p.text().nullable(),
    customerBillingName: p.text().nullable(),
    customerBillingAddress: p.json<Address>().nullable(),
    customerTaxId: p.text().nullable(),
    customerMetadata: p.json<Metadata>(),
    metadata: p.json<Metadata>(),
  },
  filters: organizationFilter,
})

/** What the buyer fills in. Absent and null keys leave what is there. */
export interface BuyerDetails {
  is_business_customer?: boolean | null | undefined
  customer_name?: string | null | undefined
  customer_email?: string | null | undefined
  customer_billing_name?: string | null | undefined
  customer_billing_address?: Address | null | undefined
  customer_tax_id?: string | null | undefined
}

/** What the seller decides. */
export interface Arrangement {
  metadata?: Metadata | undefined
  customer_metadata?: Metadata | null | undefined
  allow_discount_codes?: boolean | null | undefined
  require_billing_address?: boolean | null | undefined
  customer_ip_address?: string | null | undefined
  success_url?: string | null | undefined
  embed_origin?: string | null | undefined
}

export class Checkout extends CheckoutSchema.class {
  totalAmount(): bigint {
    return this.amount - this.discountAmount + (this.taxAmount ?? 0n)
  }

  /** Whatever is paid later needs it too, also when the first time is free. */
  needsPaymentToken(isRecurring: boolean): boolean {
    return this.totalAmount() > 0n || (isRecurring && this.priceAmount > 0n)
  }

  /** Takes a discount, or none. The amounts follow by `charge`. */
  applyDiscount(discount: Discount | null): void {
    this.discountId = discount?.id ?? null
  }

  /** Takes amounts that were computed anew. */
  charge(amounts: OrderAmounts, { isTaxKnown }: { isTaxKnown: boolean }): void {
    this.amount = amounts.subtotal
    this.discountAmount = amounts.discount
    this.taxAmount = isTaxKnown ? amounts.tax : null
    const taxes = appliedTaxes(amounts)
    if (!isDeepStrictEqual(taxes, this.taxes)) this.taxes = taxes
  }

  /** Once a customer is linked, the e-mail address is the customer's. */
  fillIn(details: BuyerDetails): void {
    this.isBusinessCustomer = details.is_business_customer ?? this.isBusinessCustomer
    this.customerName = details.customer_name ?? this.customerName ?? null
    if (!this.customerId) this.customerEmail = details.customer_email ?? this.customerEmail ?? null
    this.customerBillingName = details.customer_billing_name ?? this.customerBillingName ?? null
    this.customerBillingAddress = details.customer_billing_address ?? this.customerBillingAddress ?? null
    this.customerTaxId = details.customer_tax_id ?? this.customerTaxId ?? null
  }

  /** A product at its current price, or at what the buyer names where they may. Needs `prices` loaded. */
  chooseProduct(product: Product, chosen: bigint | null): void {
    const price = product.currentPrice()
    const isSame = this.productPriceId === price.id
    this.productId = product.id
    this.productPriceId = price.id
    this.currency = price.priceCurrency ?? 'usd'
    if (!isSame || chosen !== null) this.priceAmount = price.amountFor(chosen)
  }

  /** What the seller decides about it. Absent keys leave what is there; null clears what may be empty. */
  arrange(arrangement: Arrangement): void {
    const { metadata, customer_metadata, allow_discount_codes, require_billing_address } = arrangement
    if (metadata) this.metadata = metadata
    if (customer_metadata) this.customerMetadata = customer_metadata
    this.allowDiscountCodes = allow_discount_codes ?? this.allowDiscountCodes
    this.requireBillingAddress = require_billing_address ?? this.requireBillingAddress
    if (arrangement.customer_ip_address !== undefined) this.customerIpAddress = arrangement.customer_ip_address
    if (arrangement.success_url !== undefined) this.successUrl = arrangement.success_url
    if (arrangement.embed_origin !== undefined) this.embedOrigin = arrangement.embed_origin
  }

  /** Throws unless the buyer can still act on it. */
  refuseUnlessOpen(now: Date): void {
    if (this.status === 'expired' || (this.status === 'open' && this.expiresAt <= now)) {
      throw new ExpiredCheckoutError('This checkout session has expired.')
    }
    if (this.status !== 'open') throw new NotOpenCheckout(`Checkout ${this.id} is not open: ${this.status}`)
  }

  confirm(customerId: string): void {
    this.status = 'confirmed'
    this.customerId = customerId
  }

  /** After a payment that was declined. There is as much time for another as there was for the first. */
  reopen(now: Date): void {
    this.status = 'open'
    this.expiresAt = new Date(now.getTime() + checkoutLifetimeMs)
  }

  succeed(): void {
    this.status = 'succeeded'
  }
}
CheckoutSchema.setClass(Checkout)
