import { migration } from '@quittance/runtime/schema'

/** Checkouts wait while the index is built; on a large table add the column and create the index `concurrently` before the update. */
export const anonymizeCheckouts = migration('20261201151000-anonymize-checkouts', [
  `alter table checkouts add column if not exists anonymized_at timestamptz`,
  `create index if not exists checkouts_abandoned on checkouts (expires_at)
    where status = 'expired' and customer_id is null and anonymized_at is null`,
])
