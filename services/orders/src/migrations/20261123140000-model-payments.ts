import { migration } from '@quittance/runtime/schema'

/** Columns of every aggregate. */
export const aggregate = `id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null`

const accounts = [
  `create table payment_accounts (
    ${aggregate},
    provider text not null,
    mode text not null check (mode in ('test', 'live')),
    provider_account text,
    credentials_sealed text,
    webhook_secrets_sealed text[] not null default '{}' check (cardinality(webhook_secrets_sealed) <= 2),
    publishable_key text,
    settings jsonb not null default '{}',
    status text not null default 'active' check (status in ('active', 'draining', 'disabled')),
    is_default boolean not null default false,
    health jsonb,
    checked_at timestamptz,
    events_cursor timestamptz,
    paused_until timestamptz,
    constraint payment_accounts_default_is_active check (not is_default or status = 'active'),
    constraint payment_accounts_are_one_kind unique (id, organization_id, provider, mode)
  )`,
  `create unique index payment_accounts_one_default on payment_accounts (organization_id) where is_default`,
  `create index payment_accounts_by_organization on payment_accounts (organization_id, created_at, id)`,
]

/** The sandbox is built in and has no account: its rows have null. `request` is what the first call sends, and so every repeated one. */
const payers = [
  `create table payers (
    ${aggregate},
    customer_id uuid not null references customers (id),
    payment_account_id uuid references payment_accounts (id),
    provider_payer text,
    request jsonb not null default '{}',
    constraint payers_one_per_account unique nulls not distinct (customer_id, payment_account_id),
    constraint payers_unique_at_provider unique (payment_account_id, provider_payer),
    constraint payers_of_customer unique (id, customer_id),
    constraint payers_of_account unique (id, payment_account_id)
  )`,
  `create table payment_methods (
    ${aggregate},
    customer_id uuid not null references customers (id),
    payment_account_id uuid references payment_accounts (id),
    payer_id uuid not null,
    provider_method text not null,
    type text not null,
    brand text,
    last4 text,
    exp_month smallint check (exp_month between 1 and 12),
    exp_year smallint,
    wallet text,
    is_default boolean not null default false,
    status text not null default 'active' check (status in ('active', 'blocked', 'detached')),
    constraint payment_methods_payer_of_customer foreign key (payer_id, customer_id) references payers (id, customer_id),
    constraint payment_methods_payer_of_account foreign key (payer_id, payment_account_id) references payers (id, payment_account_id),
    constraint payment_methods_default_is_attached check (not is_default or status <> 'detached'),
    constraint payment_methods_of_organization unique (id, organization_id),
    constraint payment_methods_of_account unique (id, payment_account_id)
  )`,
  `create unique index payment_methods_one_default on payment_methods (customer_id) where is_default`,
  `create unique index payment_methods_unique_at_provider on payment_methods (payment_account_id, provider_method) where status <> 'detached'`,
  `create unique index payment_methods_unique_of_payer on payment_methods (payer_id, provider_method) where status <> 'detached'`,
  `alter table subscriptions add column payment_method_id uuid,
    add constraint subscriptions_payment_method foreign key (payment_method_id, organization_id)
      references payment_methods (id, organization_id) not valid`,
  `alter table subscriptions validate constraint subscriptions_payment_method`,
  `create index subscriptions_by_payment_method on subscriptions (payment_method_id) where payment_method_id is not null`,
]

/**
 * What is needed to repeat or resolve a call: `submission` numbers the idempotency keys, `sends` counts the calls under the current key,
 * `unanswered_since` is when the first call without an answer was made, and `checks` counts the checks of the current wait.
 */
export const callColumns = [
  'submission integer not null default 0 check (submission >= 0)',
  'sends integer not null default 0 check (sends >= 0)',
  'first_sent_at timestamptz',
  'sent_at timestamptz',
  'unanswered_since timestamptz',
  'checks integer not null default 0 check (checks >= 0)',
  'observed_at timestamptz',
  'quarantined_at timestamptz',
  'quarantine_reason text',
]

/** Columns of payments and setups besides: the object is prepared before it is submitted. */
export const objectColumns = [
  'preparation integer not null default 0 check (preparation >= 0)',
  ...callColumns,
  'next_check_at timestamptz',
  'submitted_at timestamptz',
  'action jsonb',
  'action_until timestamptz',
  'settled_at timestamptz',
  'declined_at timestamptz',
  `decline_kind text check (decline_kind in ('soft', 'hard', 'needs_buyer'))`,
  'decline_code text',
  'provider_code text',
  'retry_not_before timestamptz',
  `failure_reason text check (failure_reason in ('declined', 'abandoned', 'misconfigured', 'canceled'))`,
]

const isOpen = `state in ('created', 'prepared', 'submitted', 'requires_action', 'processing', 'closing')`

const payments = [
  // For the release before; this one reads the token in `request`.
  `alter table payments alter column confirmation_token set default ''`,
  `alter table payments
    add column provider text not null default 'sandbox',
    add column payment_account_id uuid,
    add column mode text not null default 'test' check (mode in ('test', 'live')),
    add column payment_method_id uuid,
    add column initiator text not null default 'buyer' check (initiator in ('buyer', 'schedule', 'buyer_again', 'method_updated', 'seller')),
    add column state text not null default 'created',
    add column is_open boolean not null generated always as (${isOpen}) stored,
    add column request jsonb,
    add column terms_hash text,
    add column provider_payment text,
    add column provider_charge text,
    ${objectColumns.map((column) => `add column ${column}`).join(', ')},
    add column applied_at timestamptz,
    add column surplus_at timestamptz,
    add column captured_amount bigint check (captured_amount > 0),
    add column refunding_amount bigint not null default 0 check (refunding_amount >= 0),
    add column refunded_amount bigint not null default 0 check (refunded_amount >= 0),
    add constraint payments_of_currency unique (id, currency)`,
]

/** Accounts at providers, payers, their methods, and the new columns of payments. Later migrations complete the rows, then constrain them. */
export const modelPayments = migration('20261123140000-model-payments', [...accounts, ...payers, ...payments])
