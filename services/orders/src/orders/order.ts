import { isDeepStrictEqual } from 'node:util'
import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '@quittance/contracts/address'
import { RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import {
  InvoiceAlreadyExists,
  MissingInvoiceBillingDetails,
  NotPaidOrder,
  type BillingReason,
  type OrderStatus,
} from '@quittance/contracts/orders'
import { lacksPostalCode } from '@quittance/contracts/postal-codes'
import { RefundAmountTooHigh, RefundedAlready } from '@quittance/contracts/refunds'
import type { AppliedTax, TaxBehavior } from '@quittance/contracts/taxes'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'
import { refundedTaxOf } from '../refunds/refund-amounts.ts'

export const OrderSchema = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    status: p.text().$type<OrderStatus>(),
    billingReason: p.text().$type<BillingReason>(),
    currency: p.text(),
    subtotalAmount: p.bigint('bigint'),
    discountAmount: p.bigint('bigint'),
    netAmount: p.bigint('bigint'),
    taxAmount: p.bigint('bigint'),
    taxes: p.json<AppliedTax[]>(),
    taxBehavior: p.text().$type<TaxBehavior>(),
    totalAmount: p.bigint('bigint'),
    refundedAmount: p.bigint('bigint'),
    refundedTaxAmount: p.bigint('bigint'),
    billingName: p.text().nullable(),
    billingAddress: p.json<Address>().nullable(),
    taxId: p.text().nullable(),
    customerId: p.uuid(),
    productId: p.uuid(),
    discountId: p.uuid().nullable(),
    subscriptionId: p.uuid().nullable(),
    /** Begin of the period that is paid for; there is one such order per subscription and period. */
    periodStart: p.datetime().nullable(),
    periodEnd: p.datetime().nullable(),
    checkoutId: p.uuid().nullable(),
    metadata: p.json<Metadata>(),
    paidAt: p.datetime().nullable(),
    invoiceRequestedAt: p.datetime().nullable(),
    invoiceGeneratedAt: p.datetime().nullable(),
  },
  filters: { ...organizationFilter, ...customerFilter },
})

/** Keys that are absent stay as they are. */
export interface BillingDetails {
  billing_name?: string | null | undefined
  billing_address?: Address | null | undefined
}

export class Order extends OrderSchema.class {
  /** `pending` → `paid`. Answers false when it was paid before: a payment may be reported twice. */
  pay(now: Date): boolean {
    if (this.status !== 'pending') return false
    this.status = 'paid'
    this.paidAt = now
    return true
  }

  /**
   * Gives back this much of the net amount and answers the tax that goes with it. Throws `RefundedAlready` when nothing is left,
   * `RefundAmountTooHigh` when less is left.
   */
  refund(amount: bigint): bigint {
    const left = this.netAmount - this.refundedAmount
    if (left === 0n) throw new RefundedAlready(`Order is already fully refunded: ${this.id}`)
    if (amount > left) throw new RefundAmountTooHigh(`Refund amount exceeds remaining order balance: ${left}`)
    const before = { net: this.netAmount, tax: this.taxAmount, refunded: this.refundedAmount, refundedTax: this.refundedTaxAmount }
    const tax = refundedTaxOf(before, amount)
    this.refundedAmount += amount
    this.refundedTaxAmount += tax
    this.status = this.refundedAmount === this.netAmount ? 'refunded' : 'partially_refunded'
    return tax
  }

  /** A refund came back: what was given back with it counts as paid again. */
  takeBackRefund({ amount, taxAmount }: { amount: bigint; taxAmount: bigint }): void {
    this.refundedAmount -= amount
    this.refundedTaxAmount -= taxAmount
    this.status = this.refundedAmount === 0n ? 'paid' : 'partially_refunded'
  }

  /** From the moment the invoice is requested the details are frozen; repeating the same values is not a change. */
  changeBillingDetails({ billing_name, billing_address }: BillingDetails): void {
    const locked = this.invoiceRequestedAt !== null
    const issues: ValidationIssue[] = []
    if (billing_name !== undefined && billing_name !== this.billingName) {
      if (locked) issues.push(lockedField('billing_name'))
      this.billingName = billing_name
    }
    if (billing_address !== undefined && !isDeepStrictEqual(billing_address, this.billingAddress)) {
      if (locked) issues.push(lockedField('billing_address'))
      this.billingAddress = billing_address
    }
    if (issues.length > 0) throw new RequestValidationError(issues)
  }

  /** Freezes the billing details. Asking again before it is generated is not an error: it is tried again where it failed. */
  requestInvoice(now: Date): void {
    if (this.invoiceGeneratedAt) throw new InvoiceAlreadyExists(`An invoice already exists for order ${this.id}.`)
    if (this.status === 'pending') throw new NotPaidOrder(`Order ${this.id} is not paid, so an invoice cannot be generated.`)
    if (this.invoiceRequestedAt) return
    const missing = missingDetails(this)
    if (missing.length > 0) {
      throw new MissingInvoiceBillingDetails(
        `Billing name and address are required to generate an invoice for this order. Missing: ${missing.join(', ')}.`,
      )
    }
    this.invoiceRequestedAt = now
  }
}
OrderSchema.setClass(Order)

function missingDetails({ billingName, billingAddress }: Order): string[] {
  const named = billingName ? [] : ['billing_name']
  if (!billingAddress) return [...named, 'billing_address']
  return lacksPostalCode(billingAddress) ? [...named, 'billing_address.postal_code'] : named
}

function lockedField(field: string): ValidationIssue {
  return { loc: ['body', field], msg: 'This field cannot be updated after the invoice is generated.', type: 'value_error' }
}
