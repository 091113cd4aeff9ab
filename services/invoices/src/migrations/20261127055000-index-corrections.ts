import { migration } from '@quittance/runtime/schema'

/**
 * Adds the indexes that find the credit notes of an invoice and a document by its hash. Writers of the table wait while each is built. On
 * large tables create them `concurrently` before the update, under the same names (docs/operations.md). Hashes are only compared for
 * equality; a hash index has a third of the size of a b-tree of their 64 digits.
 */
export const indexCorrections = migration('20261127055000-index-corrections', [
  `create index if not exists invoices_by_corrected on invoices (corrects_id) where corrects_id is not null`,
  `create index if not exists invoice_documents_by_hash on invoice_documents using hash (sha256)`,
])
