import { z } from 'zod'
import { Id } from './identifiers.ts'
import { Amount } from './money.ts'

/** A line of the snapshot that an invoice is created from. Events of the previous release have neither quantity nor tax. */
export const InvoiceSourceItem = z.object({
  label: z.string(),
  /** Before discount and tax: the quantity times the price of a unit. */
  amount: Amount,
  discount_amount: Amount,
  tax_amount: Amount,
  proration: z.boolean(),
  quantity: z.int().min(1).nullish(),
  unit_amount: Amount.nullish(),
  /** The tax of the line: 1 for the first of `taxes`, 0 for none; null if it is unknown. */
  tax_position: z.int().min(0).nullish(),
})

/** A refund, which gets a credit note. Events of the previous release have no reason. */
export const InvoiceSourceRefund = z.object({
  id: Id,
  amount: Amount,
  tax_amount: Amount,
  created_at: z.string(),
  reason: z.string().nullish(),
})

/** The method that paid for an order, as stored: never more than the last four characters. */
export const InvoiceSourcePayment = z.object({ type: z.string(), brand: z.string().nullable(), last4: z.string().nullable() })
