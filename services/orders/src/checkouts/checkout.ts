import { isDeepStrictEqual } from 'node:util'
import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '@quittance/contracts/address'
import { ExpiredCheckoutError, NotOpenCheckout } from '@quittance/contracts/checkouts'
import { type CheckoutStatus } from '@quittance/contracts/checkout'
import { RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import { findMissingAddressParts } from '@quittance/contracts/postal-codes'
import type { AppliedTax } from '@quittance/contracts/taxes'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { Discount } from '../catalog/discounts/discount.ts'
import { appliedTaxes, type OrderAmounts } from '../pricing/order-amounts.ts'
import type { Product, ProductPrice } from '../catalog/products/product.ts'
import type { Order } from '../orders/order.ts'
import type { OfferedTrial } from '../pricing/billing-period.ts'

/** Time within which a checkout can be confirmed. */
export const checkoutLifetimeMs = 30 * 60_000

export const CheckoutSchema = defineEntity({
  name: 'Checkout',
  tableName: 'checkouts',
  properties: {
    ...aggregateProperties,
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
    /** The customer named by the seller; not one found by a typed e-mail address. */
    linkedCustomerId: p.uuid().nullable(),
    /** False if the customer was found by data a buyer typed. */
    isCustomerProven: p.boolean(),
    /** The free subscription that this checkout upgrades. */
    subscriptionId: p.uuid().nullable(),
    currency: p.text(),
    /** The advertised price, or the amount chosen by the buyer; the other amounts are computed from it. */
    priceAmount: p.bigint('bigint'),
    amount: p.bigint('bigint'),
    discountAmount: p.bigint('bigint'),
    /** Null while tax depends on the unknown country of the buyer. */
    taxAmount: p.bigint('bigint').nullable(),
    taxes: p.json<AppliedTax[]>(),
    allowTrial: p.boolean(),
    /** End of the trial with which the confirmed purchase began. */
    trialEnd: p.datetime().nullable(),
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
    /** When the buyer agreed that access starts at once. */
    immediateAccessConsentedAt: p.datetime().nullable(),
    metadata: p.json<Metadata>(),
  },
  filters: organizationFilter,
})

/** Fields of the buyer. Absent and null keys leave the value unchanged. */
export interface BuyerDetails {
  is_business_customer?: boolean | null | undefined
  customer_name?: string | null | undefined
  customer_email?: string | null | undefined
  customer_billing_name?: string | null | undefined
  customer_billing_address?: Address | null | undefined
  customer_tax_id?: string | null | undefined
}

/** Fields of the seller. */
export interface CheckoutSettings {
  metadata?: Metadata | undefined
  customer_metadata?: Metadata | null | undefined
  allow_trial?: boolean | null | undefined
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

  /** Later payments need a token too, even if the first one is free. */
  isChargeable(isRecurring: boolean): boolean {
    return this.totalAmount() > 0n || (isRecurring && this.priceAmount > 0n)
  }

  /** Returns the trial with which the purchase begins; null without one. A product with another price than a regular one has none. */
  findTrial(product: Product): OfferedTrial | null {
    return this.allowTrial && !this.subscriptionId && this.priceAmount > 0n ? product.trial() : null
  }

  /** Sets or removes the discount. `applyAmounts` updates the amounts afterwards. */
  applyDiscount(discount: Discount | null): void {
    this.discountId = discount?.id ?? null
  }

  /** Applies newly computed amounts. */
  applyAmounts(amounts: OrderAmounts, { isTaxKnown }: { isTaxKnown: boolean }): void {
    this.amount = amounts.subtotal
    this.discountAmount = amounts.discount
    this.taxAmount = isTaxKnown ? amounts.tax : null
    const taxes = appliedTaxes(amounts)
    if (!isDeepStrictEqual(taxes, this.taxes)) this.taxes = taxes
  }

  /** Applies the buyer's details. Once a customer is linked, the e-mail address is the customer's. */
  applyBuyerDetails(details: BuyerDetails): void {
    this.isBusinessCustomer = details.is_business_customer ?? this.isBusinessCustomer
    this.customerName = details.customer_name ?? this.customerName ?? null
    if (!this.customerId) this.customerEmail = details.customer_email ?? this.customerEmail ?? null
    this.customerBillingName = details.customer_billing_name ?? this.customerBillingName ?? null
    this.customerBillingAddress = details.customer_billing_address ?? this.customerBillingAddress ?? null
    this.customerTaxId = details.customer_tax_id ?? this.customerTaxId ?? null
  }

  /** Chooses a product at its current price, or at the buyer's amount if the price allows it. Needs `prices` loaded. */
  chooseProduct(product: Product, chosen: bigint | null): void {
    const price = product.currentPrice()
    const isSame = this.productPriceId === price.id
    this.productId = product.id
    this.productPriceId = price.id
    this.currency = price.priceCurrency ?? 'usd'
    if (!isSame || chosen !== null) this.priceAmount = price.amountFor(chosen)
  }

  /** Applies the seller's settings. Absent keys leave the value unchanged; null clears fields that may be empty. */
  applySettings(arrangement: CheckoutSettings): void {
    const { metadata, customer_metadata, allow_discount_codes, require_billing_address } = arrangement
    if (metadata) this.metadata = metadata
    if (customer_metadata) this.customerMetadata = customer_metadata
    this.allowTrial = arrangement.allow_trial ?? this.allowTrial
    this.allowDiscountCodes = allow_discount_codes ?? this.allowDiscountCodes
    this.requireBillingAddress = require_billing_address ?? this.requireBillingAddress
    if (arrangement.customer_ip_address !== undefined) this.customerIpAddress = arrangement.customer_ip_address
    if (arrangement.success_url !== undefined) this.successUrl = arrangement.success_url
    if (arrangement.embed_origin !== undefined) this.embedOrigin = arrangement.embed_origin
  }

  /** Throws unless the buyer can still act on the checkout. */
  assertOpen(now: Date): void {
    if (this.status === 'expired' || (this.status === 'open' && this.expiresAt <= now)) {
      throw new ExpiredCheckoutError('This checkout session has expired.')
    }
    if (this.status === 'failed') {
      throw new ExpiredCheckoutError('This checkout has ended without a payment. It cannot be paid any more.')
    }
    if (this.status !== 'open') throw new NotOpenCheckout(`Checkout ${this.id} is not open: ${this.status}`)
  }

  /** Throws one error that names every missing field. `token` is null if none is needed. */
  assertComplete(token: string | null): void {
    const address = this.customerBillingAddress
    const required: [field: string, value: unknown][] = [['customer_email', this.customerEmail]]
    if (token !== null) required.push(['confirmation_token_id', token])
    if (this.requireBillingAddress || this.taxAmount === null) required.push(['customer_billing_address', address])
    if (address && this.taxAmount === null && !this.requireBillingAddress) required.push(['customer_billing_address.state', address.state])
    if (address && this.requireBillingAddress) {
      required.push(['customer_billing_address.line1', address.line1], ['customer_billing_address.city', address.city])
      required.push(...findMissingAddressParts(address).map((part) => [`customer_billing_address.${part}`, null] as [string, null]))
    }
    if (this.isBusinessCustomer) required.push(['customer_billing_name', this.customerBillingName])
    const missing: ValidationIssue[] = required
      .filter(([, value]) => !value)
      .map(([field]) => ({ loc: ['body', ...field.split('.')], msg: 'Field required', type: 'missing' }))
    if (missing.length > 0) throw new RequestValidationError(missing)
  }

  confirm(customerId: string, { isProven }: { isProven: boolean }): void {
    this.status = 'confirmed'
    this.customerId = customerId
    this.isCustomerProven = isProven
  }

  /** Confirms it again with what its order sold. `priceAmount` is the advertised price. */
  restorePurchase(order: Order, { price, priceAmount }: { price: ProductPrice; priceAmount: bigint }): void {
    const { productId, currency, discountAmount, taxAmount, taxes } = order
    Object.assign(this, { productId, currency, discountAmount, taxAmount, taxes, priceAmount })
    this.status = 'confirmed'
    this.productPriceId = price.id
    this.discountId = order.discountId ?? null
    this.amount = order.subtotalAmount
  }

  /** Returns whether the seller named this customer with the seller's credential: by id, or by the seller's own id. */
  isLinkedTo({ id, externalId }: { id: string; externalId?: string | null | undefined }): boolean {
    if (this.linkedCustomerId === id) return true
    return Boolean(this.externalCustomerId) && this.externalCustomerId === externalId
  }

  /** Opens the checkout again after a declined payment, with the same lifetime as at first. */
  reopen(now: Date): void {
    this.status = 'open'
    this.expiresAt = new Date(now.getTime() + checkoutLifetimeMs)
  }

  /** Ends the checkout without a payment: it can no longer be confirmed. */
  fail(): void {
    this.status = 'failed'
  }

  succeed(): void {
    this.status = 'succeeded'
  }
}
CheckoutSchema.setClass(Checkout)
