import { migration } from '@quittance/runtime/schema'

/** Language of documents, and the subscription period they cover. */
export const addInvoiceDetails = migration('20261121059000-tell-invoices-more', [
  `alter table customers add column locale text check (length(locale) <= 35)`,
  `alter table orders
    add column period_end timestamptz,
    add constraint orders_period_has_length check (period_end > period_start)`,
])
