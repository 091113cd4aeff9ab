import { migration } from '@quittance/runtime/schema'

/** Adds the format of a document and the reasons why it is not an electronic invoice. */
export const electronicInvoices = migration('20261121020000-electronic-invoices', [
  `alter table invoices
    add column format text check (format in ('pdf', 'factur-x')),
    add column not_electronic jsonb not null default '[]'`,
])
