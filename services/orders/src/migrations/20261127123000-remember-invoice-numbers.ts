import { migration } from '@quittance/runtime/schema'

/**
 * Numbers of invoices of an order that were corrected, by which its buyer may still name it. The release before keeps the first number in
 * `invoice_number`, and neither reads nor writes the column.
 */
export const rememberInvoiceNumbers = migration('20261127123000-remember-invoice-numbers', [
  `alter table orders add column replaced_invoice_numbers text[] not null default '{}'`,
])
