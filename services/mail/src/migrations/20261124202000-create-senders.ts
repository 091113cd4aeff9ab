import { migration } from '@quittance/runtime/schema'

/** Addresses of sellers. A row proves nothing by itself: mails come from it while a recent check found its records. */
export const createSenders = migration('20261124202000-create-senders', [
  `create table senders (
    id uuid primary key,
    created_at timestamptz not null default now(),
    modified_at timestamptz,
    organization_id uuid not null,
    address text not null check (address ~ '^[^@[:space:]<>]+@[a-z0-9.-]+$'),
    domain text not null generated always as (substring(address from position('@' in address) + 1)) stored,
    selector text not null unique check (selector ~ '^q[0-9a-f]{16}$'),
    public_key text not null,
    sealed_private_key text not null,
    checked_at timestamptz,
    has_dkim boolean not null default false,
    has_spf boolean not null default false,
    constraint senders_one_per_organization unique (organization_id),
    constraint senders_found_by_check check (checked_at is not null or not (has_dkim or has_spf))
  )`,
  `create index senders_by_check on senders (checked_at) where has_dkim and has_spf`,
])
