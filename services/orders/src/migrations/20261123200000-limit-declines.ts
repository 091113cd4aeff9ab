import { migration } from '@quittance/runtime/schema'

/** Kept for an hour: which network a payment of a checkout was started from. The release before neither reads nor writes it. */
export const limitDeclines = migration('20261123200000-limit-declines', [
  `create table payment_attempts (
    payment_id uuid primary key references payments (id),
    organization_id uuid not null,
    network text not null check (length(network) between 1 and 64),
    created_at timestamptz not null default now()
  )`,
  `create index payment_attempts_by_network on payment_attempts (organization_id, network, created_at)`,
  `create index payment_attempts_by_time on payment_attempts (created_at)`,
])
