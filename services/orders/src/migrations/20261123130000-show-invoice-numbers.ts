import { completeOrganization } from '../organizations/organization-defaults.ts'
import { migration } from '@quittance/runtime/schema'

/**
 * Replies and events show the number of an invoice, and organizations as later versions of the official client expect them. Orders whose
 * invoice the previous release has recorded have no number here.
 */
export const showInvoiceNumbers = migration('20261123130000-show-invoice-numbers', [
  `alter table orders add column invoice_number text,
    add constraint orders_numbered_is_generated check (invoice_number is null or invoice_generated_at is not null) not valid`,
  `alter table orders validate constraint orders_numbered_is_generated`,
  `update organizations set document = ${completeOrganization('document')} where not document ? 'status'`,
])
