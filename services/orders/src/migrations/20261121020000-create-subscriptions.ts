import { migration } from '@quittance/runtime/schema'

const subscriptions = [
  `create table subscriptions (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null,
    status text not null
      check (status in ('incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid')),
    currency text not null check (currency ~ '^[a-z]{3}$'),
    amount bigint not null check (amount >= 0),
    period_amount bigint not null check (period_amount >= 0),
    recurring_interval text not null check (recurring_interval in ('month', 'year')),
    anchor_day smallint not null check (anchor_day between 1 and 31),
    current_period_start timestamptz not null,
    current_period_end timestamptz not null,
    cancel_at_period_end boolean not null default false,
    canceled_at timestamptz,
    started_at timestamptz,
    ends_at timestamptz,
    ended_at timestamptz,
    customer_id uuid not null references customers (id),
    product_id uuid not null references products (id),
    product_price_id uuid not null references product_prices (id),
    discount_id uuid references discounts (id),
    discount_from timestamptz,
    checkout_id uuid references checkouts (id),
    customer_cancellation_reason text check (customer_cancellation_reason in ('customer_service', 'low_quality', 'missing_features',
      'switched_service', 'too_complex', 'too_expensive', 'unused', 'other')),
    customer_cancellation_comment text,
    payment_token text,
    failed_charges integer not null default 0 check (failed_charges >= 0),
    metadata jsonb not null default '{}',
    due_at timestamptz,
    leased_until timestamptz,
    constraint subscriptions_period_has_length check (current_period_end > current_period_start),
    constraint subscriptions_running_has_started
      check (status not in ('trialing', 'active', 'past_due', 'unpaid') or started_at is not null),
    constraint subscriptions_ended_has_time check ((status in ('canceled', 'incomplete_expired')) = (ended_at is not null)),
    constraint subscriptions_end_is_scheduled check (not cancel_at_period_end or (canceled_at is not null and ends_at is not null)),
    constraint subscriptions_end_was_asked check (ends_at is null or canceled_at is not null),
    constraint subscriptions_discount_has_begin check ((discount_id is null) = (discount_from is null)),
    constraint subscriptions_ended_is_idle check (ended_at is null or due_at is null)
  )`,
  `create unique index subscriptions_by_checkout on subscriptions (checkout_id) where checkout_id is not null`,
  `create index subscriptions_due on subscriptions (due_at) where due_at is not null`,
  `create index subscriptions_by_organization on subscriptions (organization_id, started_at, id) where started_at is not null`,
  `create index subscriptions_by_period_end on subscriptions (organization_id, current_period_end, id)`,
  `create index subscriptions_by_amount on subscriptions (organization_id, amount, id)`,
  `create index subscriptions_by_status on subscriptions (organization_id, status, id)`,
  `create index subscriptions_by_customer on subscriptions (customer_id, started_at, id)`,
  `create index subscriptions_by_product on subscriptions (product_id, started_at, id)`,
  `create index subscriptions_by_discount on subscriptions (discount_id, started_at, id) where discount_id is not null`,
]

const ordersOfSubscriptions = [
  `alter table orders add column period_start timestamptz`,
  `alter table orders add constraint orders_subscription foreign key (subscription_id) references subscriptions (id)`,
  // Prevents a renewal that runs twice from billing twice, whatever the code does.
  `create unique index orders_one_per_cycle on orders (subscription_id, period_start)
    where billing_reason in ('subscription_create', 'subscription_cycle')`,
  `alter table orders add constraint orders_cycle_has_period
    check (period_start is not null or billing_reason not in ('subscription_create', 'subscription_cycle'))`,
  `create index orders_by_subscription on orders (subscription_id, created_at, id) where subscription_id is not null`,
]

const prorations = [
  // Charges and credits of product changes, until an order bills them.
  `create table prorations (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null,
    subscription_id uuid not null references subscriptions (id),
    label text not null,
    amount bigint not null,
    product_price_id uuid references product_prices (id),
    order_id uuid references orders (id)
  )`,
  `create index prorations_waiting on prorations (subscription_id, created_at, id) where order_id is null`,
]

const testClock = [`alter table organizations add column clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0)`]

export const createSubscriptions = migration('20261121020000-create-subscriptions', [
  ...subscriptions,
  ...ordersOfSubscriptions,
  ...prorations,
  ...testClock,
])
