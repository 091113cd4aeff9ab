import { migration } from '@quittance/runtime/schema'

/** What an operator decided about a payment, with the state that the provider reported then. Only inserted. */
export const recordResolutions = migration('20261124100000-record-resolutions', [
  `create table payment_resolutions (
    id uuid primary key default gen_random_uuid(),
    created_at timestamptz not null,
    organization_id uuid not null,
    payment_id uuid not null references payments (id),
    resolved_as text not null check (resolved_as in ('succeeded', 'failed')),
    because text not null check (length(because) between 1 and 1000),
    is_forced boolean not null,
    provider_state text not null,
    quarantine_reason text
  )`,
  `create index payment_resolutions_by_payment on payment_resolutions (payment_id, created_at)`,
])
