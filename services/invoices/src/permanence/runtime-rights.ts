import type { RuntimeRights } from '@quittance/runtime/runtime-rights'

/**
 * Rights of the running service on permanent tables. An invoice is inserted once; only its rendering state changes until the document is
 * stored. A series changes only in its last number. Documents are inserted once, and only triggers write links.
 */
export const rights: RuntimeRights = {
  tables: {
    invoices: {
      insert: true,
      delete: false,
      update: [
        'modified_at',
        'version',
        'status',
        'generated_at',
        'format',
        'not_electronic',
        'attempts',
        'next_attempt_at',
        'leased_until',
        'last_error',
      ],
    },
    invoice_documents: { insert: true, update: [], delete: false },
    document_series: { insert: true, update: ['last_number'], delete: false },
    document_links: { insert: false, update: [], delete: false },
  },
}
