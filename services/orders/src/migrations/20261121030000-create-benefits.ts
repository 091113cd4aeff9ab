import { migration } from '@quittance/runtime/schema'

const aggregate = `id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null`

/** Benefits of products and their grants. A deleted benefit is kept for its grants. */
export const createBenefits = migration('20261121030000-create-benefits', [
  `create table benefits (
    ${aggregate},
    type text not null check (type in ('custom', 'discord', 'github_repository', 'downloadables', 'license_keys', 'meter_credit')),
    description text not null check (length(description) between 1 and 42),
    selectable boolean not null default true,
    deletable boolean not null default true,
    properties jsonb not null default '{}',
    metadata jsonb not null default '{}',
    deleted_at timestamptz,
    constraint benefits_deleted_was_deletable check (deleted_at is null or deletable)
  )`,
  `create index benefits_by_organization on benefits (organization_id, created_at, id) where deleted_at is null`,
  `create index benefits_by_description on benefits (organization_id, description, id) where deleted_at is null`,
  `create index benefits_deleted on benefits (id) where deleted_at is not null`,
  `create table product_benefits (
    product_id uuid not null references products (id),
    benefit_id uuid not null references benefits (id),
    position integer not null check (position > 0),
    primary key (product_id, benefit_id),
    constraint product_benefits_position_unique unique (product_id, position)
  )`,
  `create index product_benefits_by_benefit on product_benefits (benefit_id)`,
  `create table benefit_grants (
    ${aggregate},
    benefit_id uuid not null references benefits (id),
    customer_id uuid not null references customers (id),
    order_id uuid references orders (id),
    subscription_id uuid references subscriptions (id),
    granted_at timestamptz,
    revoked_at timestamptz,
    properties jsonb not null default '{}',
    constraint benefit_grants_one_cause check (num_nonnulls(order_id, subscription_id) = 1),
    constraint benefit_grants_granted_or_revoked check (num_nonnulls(granted_at, revoked_at) = 1)
  )`,
  `create unique index benefit_grants_once_per_order on benefit_grants (order_id, benefit_id, customer_id) where order_id is not null`,
  `create unique index benefit_grants_once_per_subscription on benefit_grants (subscription_id, benefit_id, customer_id)
    where subscription_id is not null`,
  `create index benefit_grants_by_benefit on benefit_grants (benefit_id, created_at, id)`,
  `create index benefit_grants_by_customer on benefit_grants (customer_id, granted_at, id)`,
  // Grants still to be revoked after the deletion of a benefit.
  `create index benefit_grants_granted on benefit_grants (benefit_id) where revoked_at is null`,
])
