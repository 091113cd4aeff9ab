import { migration } from '@quittance/runtime/schema'
import { aggregate, objectColumns } from './20261123140000-model-payments.ts'

/** The storage of a method without a charge. The columns are those of payments. */
const setups = [
  `create table payment_setups (
    ${aggregate},
    customer_id uuid not null references customers (id),
    checkout_id uuid references checkouts (id),
    provider text not null default 'sandbox',
    payment_account_id uuid,
    mode text not null default 'test' check (mode in ('test', 'live')),
    payment_method_id uuid references payment_methods (id),
    set_default boolean not null default false,
    return_url text,
    state text not null default 'created' check (state in
      ('created', 'prepared', 'submitted', 'requires_action', 'processing', 'closing', 'failed', 'succeeded')),
    request jsonb not null,
    provider_setup text,
    ${objectColumns.join(', ')},
    leased_until timestamptz,
    traceparent text,
    constraint payment_setups_settled_is_final check ((settled_at is not null) = (state in ('failed', 'succeeded'))),
    constraint payment_setups_not_forgotten check (settled_at is not null or quarantined_at is not null or next_check_at is not null),
    constraint payment_setups_action_until_settled check (action is null or settled_at is null),
    constraint payment_setups_failed_has_reason check ((state in ('closing', 'failed')) = (failure_reason is not null)),
    constraint payment_setups_quarantine_has_reason check ((quarantined_at is null) = (quarantine_reason is null)),
    constraint payment_setups_sandbox_has_no_account check ((provider = 'sandbox') = (payment_account_id is null)),
    constraint payment_setups_account foreign key (payment_account_id, organization_id, provider, mode)
      references payment_accounts (id, organization_id, provider, mode)
  )`,
  `create unique index payment_setups_one_open_per_checkout on payment_setups (checkout_id)
    where checkout_id is not null and state not in ('failed', 'succeeded')`,
  `create unique index payment_setups_unique_at_provider on payment_setups (payment_account_id, provider_setup) where provider_setup is not null`,
  `create index payment_setups_to_check on payment_setups (next_check_at) where next_check_at is not null`,
  `create index payment_setups_by_customer on payment_setups (customer_id, created_at)`,
]

/** One table, not partitions by month: the same event must be known as a duplicate across months. Rows are deleted after 60 days. */
const events = [
  `create table provider_events (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null,
    payment_account_id uuid not null references payment_accounts (id),
    provider_event text not null,
    type text not null,
    object_kind text not null check (object_kind in ('charge', 'setup', 'refund', 'dispute', 'method', 'mandate')),
    object text not null,
    source text not null check (source in ('push', 'catch_up', 'replay')),
    occurred_at timestamptz not null,
    received_at timestamptz not null default now(),
    handled_at timestamptz,
    attempts integer not null default 0,
    next_try_at timestamptz,
    leased_until timestamptz,
    outcome text,
    constraint provider_events_once unique (payment_account_id, provider_event),
    constraint provider_events_not_forgotten check (handled_at is not null or next_try_at is not null)
  )`,
  `create index provider_events_to_read on provider_events (next_try_at) where handled_at is null`,
  `create index provider_events_by_age on provider_events (received_at)`,
]

/**
 * What the sandbox knows of its payments, setups and refunds, as a provider does. `made_by` is the key of the call that made the object;
 * `replies` has the answer of every later key.
 */
const sandbox = [
  `create table sandbox_objects (
    id text primary key,
    kind text not null check (kind in ('charge', 'setup', 'refund')),
    organization_id uuid not null,
    ours uuid not null,
    payment text,
    amount bigint check (amount > 0),
    currency text check (currency ~ '^[a-z]{3}$'),
    token text not null default '',
    status text not null
      check (status in ('untouched', 'requires_action', 'processing', 'succeeded', 'declined', 'canceled', 'failed')),
    submissions integer not null default 0,
    made_by text not null unique,
    replies jsonb not null default '{}',
    created_at timestamptz not null default now(),
    submitted_at timestamptz,
    constraint sandbox_objects_money check ((kind = 'setup') = (amount is null) and (amount is null) = (currency is null)),
    constraint sandbox_objects_refund_of check ((kind = 'refund') = (payment is not null))
  )`,
  `create index sandbox_objects_by_ours on sandbox_objects (ours)`,
  `create index sandbox_objects_by_payment on sandbox_objects (payment) where payment is not null`,
]

/** Setups, the events of providers, and the objects of the sandbox. */
export const createProviderTables = migration('20261123143000-create-provider-tables', [...setups, ...events, ...sandbox])
