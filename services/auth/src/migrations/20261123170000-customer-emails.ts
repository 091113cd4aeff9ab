import { migration } from '@quittance/runtime/schema'

/** A replica of the previous release changes organizations without a new snapshot; the next one follows within three days. */
export const customerEmails = migration('20261123170000-customer-emails', [
  `alter table organizations add column customer_email_settings jsonb not null default '{}', add column snapshot_published_at timestamptz`,
  `create index organizations_by_snapshot on organizations (snapshot_published_at nulls first)`,
])
