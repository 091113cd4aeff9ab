import { migration } from '@quittance/runtime/schema'

/**
 * Adds the index that lists the credit notes of a seller by number: without it the numbers of all invoices are read too. Writers of the
 * table wait while it is built. On large tables create it `concurrently` before the update, under the same name (docs/operations.md).
 */
export const indexCreditNoteNumbers = migration('20261129130000-index-credit-note-numbers', [
  `create index if not exists invoices_credit_notes_by_number on invoices (organization_id, series, position) where kind = 'credit_note'`,
])
