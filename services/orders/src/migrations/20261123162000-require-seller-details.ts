import { migration } from '@quittance/runtime/schema'

/** What the invoices of a seller lack, as last received. A seller without a row is not held up. */
export const requireSellerDetails = migration('20261123162000-require-seller-details', [
  `create table invoice_requirements (
    organization_id uuid primary key,
    missing text[] not null,
    missing_when_taxed text[] not null,
    occurred_at timestamptz not null
  )`,
])
