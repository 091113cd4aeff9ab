import { migration } from '@quittance/runtime/migration'

/** What the document of an invoice is, and why it is not more where more was wanted. */
export const electronicInvoices = migration('20261121020000-electronic-invoices', [
  `alter table invoices
    add column format text check (format in ('pdf', 'factur-x')),
    add column not_electronic jsonb not null default '[]'`,
])
