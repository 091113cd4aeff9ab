import { migration } from '@quittance/runtime/schema'

/** Optional mails that a customer does not want. The release before sends no optional mails. */
export const createOptOuts = migration('20261124204000-create-opt-outs', [
  `create table opt_outs (
    customer_id uuid not null,
    kind text not null check (kind in ('renewal_ahead')),
    organization_id uuid not null,
    created_at timestamptz not null default now(),
    primary key (customer_id, kind)
  )`,
])
