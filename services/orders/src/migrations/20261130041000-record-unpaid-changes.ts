import { migration } from '@quittance/runtime/schema'

/**
 * The terms of a subscription before a change of product, until the order of the change is paid or voided: a change that is not paid is undone.
 * The release before neither writes nor reads the table: its changes stay when they are declined.
 */
export const recordUnpaidChanges = migration('20261130041000-record-unpaid-changes', [
  `create table unpaid_changes (
    order_id uuid primary key references orders (id),
    created_at timestamptz not null,
    organization_id uuid not null,
    subscription_id uuid not null references subscriptions (id),
    product_id uuid not null references products (id),
    product_price_id uuid not null references product_prices (id),
    period_price_id uuid references product_prices (id),
    pending_product_id uuid references products (id),
    currency text not null check (currency ~ '^[a-z]{3}$'),
    price_amount bigint not null check (price_amount >= 0),
    amount bigint not null check (amount >= 0),
    period_amount bigint not null check (period_amount >= 0),
    recurring_interval text not null check (recurring_interval in ('month', 'year')),
    anchor_day smallint not null check (anchor_day between 1 and 31),
    current_period_start timestamptz not null,
    current_period_end timestamptz not null,
    discount_id uuid references discounts (id),
    discount_from timestamptz,
    period_discount_id uuid references discounts (id),
    proration_ids uuid[] not null check (array_position(proration_ids, null) is null),
    constraint unpaid_changes_period_has_length check (current_period_end > current_period_start),
    constraint unpaid_changes_discount_has_begin check ((discount_id is null) = (discount_from is null))
  )`,
  `create index unpaid_changes_by_subscription on unpaid_changes (subscription_id)`,
])
