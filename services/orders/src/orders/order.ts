import { isDeepStrictEqual } from 'node:util'
import { defineEntity, p } from '@mikro-orm/core'
import type { Address } from '@quittance/contracts/address'
import { Conflict, RequestValidationError, type ValidationIssue } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import {
  InvoiceAlreadyExists,
  MissingInvoiceBillingDetails,
  NotPaidOrder,
  type BillingReason,
  type OrderStatus,
} from '@quittance/contracts/orders'
import { findMissingAddressParts } from '@quittance/contracts/postal-codes'
import { RefundAmountTooHigh, RefundedAlready } from '@quittance/contracts/refunds'
import type { AppliedTax, TaxBehavior } from '@quittance/contracts/taxes'
import { customerFilter, organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { LeftOfOrder } from '../pricing/split-gross.ts'
import { computeRefundRoom, computeRefundTax } from '../pricing/returnable.ts'

export const OrderSchema = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    ...aggregateProperties,
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
    /** Amount of refunds requested from the processor without a result yet. */
    refundingAmount: p.bigint('bigint'),
    refundingTaxAmount: p.bigint('bigint'),
    /** Value of the time it bills that can be credited, at advertised prices; zero if it is not more than its amount. */
    creditableAmount: p.bigint('bigint'),
    /** Credits of earlier orders that it used up, at advertised prices. */
    creditUsedAmount: p.bigint('bigint'),
    /** Credited to its subscription for unused time, at advertised prices; cannot be refunded as well. */
    creditedAmount: p.bigint('bigint'),
    /** When to charge it again, in real time; only for the final order of an ended subscription. */
    nextPaymentAttemptAt: p.datetime().nullable(),
    billingName: p.text().nullable(),
    billingAddress: p.json<Address>().nullable(),
    taxId: p.text().nullable(),
    customerId: p.uuid(),
    productId: p.uuid(),
    discountId: p.uuid().nullable(),
    subscriptionId: p.uuid().nullable(),
    /** Start of the billed period; there is one such order per subscription and period. */
    periodStart: p.datetime().nullable(),
    periodEnd: p.datetime().nullable(),
    checkoutId: p.uuid().nullable(),
    metadata: p.json<Metadata>(),
    paidAt: p.datetime().nullable(),
    invoiceRequestedAt: p.datetime().nullable(),
    invoiceGeneratedAt: p.datetime().nullable(),
    /** When its claim was given up: a credit note covers its invoice, and nothing pays it any more. */
    voidedAt: p.datetime().nullable(),
  },
  filters: { ...organizationFilter, ...customerFilter((checkoutId) => ({ checkoutId })) },
})

/** Absent keys leave the value unchanged. */
export interface BillingDetails {
  billing_name?: string | null | undefined
  billing_address?: Address | null | undefined
}

export class Order extends OrderSchema.class {
  /** Returns whether it was bought by a checkout that upgrades a free subscription. */
  isUpgrade(): boolean {
    return Boolean(this.checkoutId) && this.billingReason === 'subscription_update'
  }

  /** `pending` → `paid`. Returns false if it was already paid: a payment may be reported twice. */
  pay(now: Date): boolean {
    if (this.status !== 'pending') return false
    this.status = 'paid'
    this.paidAt = now
    this.nextPaymentAttemptAt = null
    return true
  }

  /** Sets the period that it pays for, which may begin with the payment. An invoice that was requested before states another. */
  setPeriod({ start, end }: { start: Date; end: Date }): void {
    if (this.invoiceRequestedAt) return
    this.periodStart = start
    this.periodEnd = end
  }

  /** Returns whether money that arrives pays it. */
  isPayable(): boolean {
    return this.status === 'pending' && !this.voidedAt
  }

  /** Throws `Conflict` if it is paid or voided. */
  assertPayable(): void {
    if (this.isPayable()) return
    throw new Conflict(this.voidedAt ? 'The order is voided. Nothing is owed for it.' : 'The order is paid.')
  }

  /** Gives up the claim for what is undone, with or without an invoice. */
  giveUp(now: Date): void {
    this.voidedAt = now
    this.nextPaymentAttemptAt = null
  }

  /**
   * Gives up the claim. Returns false if it was voided before. Throws `Conflict` if it is paid, if its invoice is not generated yet, or if it is
   * of a checkout, where the buyer may be paying it, and has no invoice.
   */
  void(now: Date): boolean {
    if (this.voidedAt) return false
    if (this.status !== 'pending') throw new Conflict('The order is paid. Refund it instead.')
    if (!this.invoiceGeneratedAt) this.assertVoidableWithoutInvoice()
    this.giveUp(now)
    return true
  }

  private assertVoidableWithoutInvoice(): void {
    if (this.invoiceRequestedAt) throw new Conflict('The invoice of the order is being generated. Void the order after that.')
    if (this.checkoutId) throw new Conflict('An order of a checkout can be voided once its invoice is generated.')
  }

  /** Schedules the next payment of the final order of an ended subscription; null ends the attempts, and the order stays owed. */
  retryPaymentAt(at: Date | null): void {
    this.nextPaymentAttemptAt = at
  }

  /** Returns whether it is due to be charged again. */
  isPaymentDue(now: Date): boolean {
    return this.nextPaymentAttemptAt !== null && this.nextPaymentAttemptAt !== undefined && this.nextPaymentAttemptAt <= now
  }

  /**
   * Reserves this much of the net amount for a refund and returns the tax refunded with it. Throws `RefundedAlready` if everything is
   * refunded, `RefundAmountTooHigh` if less is left; what was credited to the subscription is not left.
   */
  reserveRefund(amount: bigint): bigint {
    if (this.netAmount === this.refundedAmount + this.refundingAmount) {
      throw new RefundedAlready(`Order is already fully refunded: ${this.id}`)
    }
    const left = computeRefundRoom(this)
    if (amount > left) throw new RefundAmountTooHigh(`Refund amount exceeds remaining order balance: ${left}`)
    const tax = computeRefundTax(this, amount)
    this.refundingAmount += amount
    this.refundingTaxAmount += tax
    return tax
  }

  /** Reserves a refund that was made elsewhere, with its tax. */
  reserveSplit({ amount, taxAmount }: { amount: bigint; taxAmount: bigint }): void {
    this.refundingAmount += amount
    this.refundingTaxAmount += taxAmount
  }

  /** Returns what is left to refund. */
  toRefundable(): LeftOfOrder {
    const { netAmount: net, taxAmount: tax } = this
    const leftTax = tax - this.refundedTaxAmount - this.refundingTaxAmount
    return { net, tax, leftNet: net - this.refundedAmount - this.refundingAmount, leftTax }
  }

  /** Moves a reserved amount to the refunded amount. */
  refund({ amount, taxAmount }: { amount: bigint; taxAmount: bigint }): void {
    this.refundingAmount -= amount
    this.refundingTaxAmount -= taxAmount
    this.refundedAmount += amount
    this.refundedTaxAmount += taxAmount
    this.status = this.refundedAmount === this.netAmount ? 'refunded' : 'partially_refunded'
  }

  /** Releases the reserved amount of a refund that was not made. */
  releaseRefund({ amount, taxAmount }: { amount: bigint; taxAmount: bigint }): void {
    this.refundingAmount -= amount
    this.refundingTaxAmount -= taxAmount
  }

  /** Reverses a refund that the bank returned: its amount counts as paid again. */
  reverseRefund({ amount, taxAmount }: { amount: bigint; taxAmount: bigint }): void {
    this.refundedAmount -= amount
    this.refundedTaxAmount -= taxAmount
    this.status = this.refundedAmount === 0n ? 'paid' : 'partially_refunded'
  }

  /** Changes the billing details. They are frozen once the invoice is requested; repeating the same values is not a change. */
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

  /** Freezes the billing details. A repeated request before the invoice is generated is not an error: it retries a failed invoice. */
  requestInvoice({ now, awaitsTransfer, missingSellerDetails }: InvoiceRequest): void {
    if (this.invoiceGeneratedAt) throw new InvoiceAlreadyExists(`An invoice already exists for order ${this.id}.`)
    if (this.status === 'pending' && !awaitsTransfer)
      throw new NotPaidOrder(`Order ${this.id} is not paid, so an invoice cannot be generated.`)
    if (this.invoiceRequestedAt) return
    const missing = missingDetails(this)
    if (missing.length > 0) {
      throw new MissingInvoiceBillingDetails(
        `Billing name and address are required to generate an invoice for this order. Missing: ${missing.join(', ')}.`,
      )
    }
    if (missingSellerDetails.length > 0) {
      throw new MissingInvoiceBillingDetails(
        `The law of the seller's country requires more data of the seller. Missing in the invoice settings: ${missingSellerDetails.join(', ')}.`,
      )
    }
    this.invoiceRequestedAt = now
  }
}
OrderSchema.setClass(Order)

/** A request for the invoice of an order. */
interface InvoiceRequest {
  now: Date
  /** The buyer was asked to send the money: such an order may be invoiced before it is paid. */
  awaitsTransfer: boolean
  /** Names of settings that the law of the seller's country requires. */
  missingSellerDetails: readonly string[]
}

function missingDetails({ billingName, billingAddress }: Order): string[] {
  const named = billingName ? [] : ['billing_name']
  if (!billingAddress) return [...named, 'billing_address']
  return [...named, ...findMissingAddressParts(billingAddress).map((part) => `billing_address.${part}`)]
}

function lockedField(field: string): ValidationIssue {
  return { loc: ['body', field], msg: 'This field cannot be updated after the invoice is generated.', type: 'frozen_field' }
}
