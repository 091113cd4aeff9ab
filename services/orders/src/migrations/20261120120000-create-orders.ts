import { migration } from '@quittance/runtime/schema'
import { messagingTables } from '@quittance/runtime/outbox'

/** Columns of every aggregate. */
const aggregate = `id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null`

const catalogue = [
  // A copy of the organizations published by auth, limited to what checkouts and invoices show.
  `create table organizations (
    id uuid primary key,
    name text not null,
    slug text not null,
    document jsonb not null,
    occurred_at timestamptz not null
  )`,
  `create table products (
    ${aggregate},
    name text not null check (length(name) between 3 and 200),
    description text,
    recurring_interval text check (recurring_interval in ('month', 'year')),
    is_archived boolean not null default false,
    metadata jsonb not null default '{}'
  )`,
  `create index products_by_organization on products (organization_id, created_at)`,
  `create table product_prices (
    ${aggregate},
    product_id uuid not null references products (id),
    amount_type text not null check (amount_type in ('fixed', 'free')),
    price_amount bigint check (price_amount >= 0),
    price_currency text check (price_currency ~ '^[a-z]{3}$'),
    is_archived boolean not null default false,
    constraint product_prices_amount_by_type check ((amount_type = 'fixed') = (price_amount is not null and price_currency is not null))
  )`,
  `create index product_prices_by_product on product_prices (product_id, created_at)`,
  `create table discounts (
    ${aggregate},
    name text not null,
    type text not null check (type in ('fixed', 'percentage')),
    duration text not null check (duration in ('once', 'forever', 'repeating')),
    duration_in_months integer check (duration_in_months >= 1),
    amount bigint check (amount >= 0),
    currency text check (currency ~ '^[a-z]{3}$'),
    basis_points integer check (basis_points between 1 and 10000),
    code text check (code ~ '^[A-Za-z0-9]+$' and length(code) between 3 and 256),
    starts_at timestamptz,
    ends_at timestamptz,
    max_redemptions integer check (max_redemptions >= 1),
    redemptions_count integer not null default 0 check (redemptions_count >= 0),
    product_ids uuid[] not null default '{}',
    metadata jsonb not null default '{}',
    constraint discounts_by_type check (
      (type = 'fixed' and amount is not null and currency is not null and basis_points is null)
      or (type = 'percentage' and basis_points is not null and amount is null and currency is null)),
    constraint discounts_by_duration check ((duration = 'repeating') = (duration_in_months is not null)),
    constraint discounts_starts_before_end check (starts_at is null or ends_at is null or starts_at < ends_at),
    constraint discounts_not_over_redeemed check (max_redemptions is null or redemptions_count <= max_redemptions)
  )`,
  `create index discounts_by_organization on discounts (organization_id, created_at)`,
  `create unique index discounts_by_code on discounts (organization_id, lower(code)) where code is not null`,
]

const customers = [
  `create table customers (
    ${aggregate},
    external_id text,
    email text not null,
    email_verified boolean not null default false,
    name text,
    billing_address jsonb,
    tax_id jsonb,
    metadata jsonb not null default '{}',
    deleted_at timestamptz
  )`,
  `create unique index customers_by_email on customers (organization_id, lower(email)) where deleted_at is null`,
  `create unique index customers_by_external_id on customers (organization_id, external_id) where external_id is not null and deleted_at is null`,
  `create index customers_by_organization on customers (organization_id, created_at)`,
  `create table customer_sessions (
    ${aggregate},
    customer_id uuid not null references customers (id),
    token_hash text not null check (token_hash ~ '^[0-9a-f]{64}$'),
    expires_at timestamptz not null,
    constraint customer_sessions_hash_unique unique (token_hash)
  )`,
  `create index customer_sessions_by_expiry on customer_sessions (expires_at)`,
]

const sales = [
  `create table checkouts (
    ${aggregate},
    status text not null check (status in ('open', 'expired', 'confirmed', 'succeeded', 'failed')),
    client_secret text not null,
    expires_at timestamptz not null,
    success_url text,
    embed_origin text,
    product_ids uuid[] not null check (cardinality(product_ids) > 0),
    product_id uuid not null references products (id),
    product_price_id uuid not null references product_prices (id),
    discount_id uuid references discounts (id),
    customer_id uuid references customers (id),
    currency text not null check (currency ~ '^[a-z]{3}$'),
    amount bigint not null check (amount >= 0),
    discount_amount bigint not null check (discount_amount between 0 and amount),
    tax_amount bigint not null check (tax_amount >= 0),
    allow_discount_codes boolean not null,
    require_billing_address boolean not null,
    is_business_customer boolean not null,
    external_customer_id text,
    customer_name text,
    customer_email text,
    customer_ip_address text,
    customer_billing_name text,
    customer_billing_address jsonb,
    customer_tax_id text,
    customer_metadata jsonb not null default '{}',
    metadata jsonb not null default '{}',
    constraint checkouts_client_secret_unique unique (client_secret)
  )`,
  `create index checkouts_by_organization on checkouts (organization_id, created_at)`,
  `create index checkouts_open_by_expiry on checkouts (expires_at) where status = 'open'`,
  `create table orders (
    ${aggregate},
    status text not null check (status in ('pending', 'paid', 'refunded', 'partially_refunded')),
    billing_reason text not null check (billing_reason in ('purchase', 'subscription_create', 'subscription_cycle', 'subscription_update')),
    currency text not null check (currency ~ '^[a-z]{3}$'),
    subtotal_amount bigint not null check (subtotal_amount >= 0),
    discount_amount bigint not null check (discount_amount between 0 and subtotal_amount),
    net_amount bigint not null check (net_amount = subtotal_amount - discount_amount),
    tax_amount bigint not null check (tax_amount >= 0),
    total_amount bigint not null check (total_amount = net_amount + tax_amount),
    refunded_amount bigint not null default 0 check (refunded_amount between 0 and net_amount),
    refunded_tax_amount bigint not null default 0 check (refunded_tax_amount between 0 and tax_amount),
    billing_name text,
    billing_address jsonb,
    tax_id text,
    customer_id uuid not null references customers (id),
    product_id uuid not null references products (id),
    discount_id uuid references discounts (id),
    subscription_id uuid,
    checkout_id uuid references checkouts (id),
    metadata jsonb not null default '{}',
    paid_at timestamptz,
    invoice_requested_at timestamptz,
    invoice_generated_at timestamptz,
    constraint orders_paid_has_time check ((status = 'pending') = (paid_at is null)),
    constraint orders_invoice_needs_details check (invoice_requested_at is null or (billing_name is not null and billing_address is not null)),
    constraint orders_generated_was_requested check (invoice_generated_at is null or invoice_requested_at is not null)
  )`,
  `create index orders_by_organization on orders (organization_id, created_at, id)`,
  `create index orders_by_customer on orders (customer_id, created_at, id)`,
  `create unique index orders_by_checkout on orders (checkout_id) where checkout_id is not null`,
  `create table order_items (
    ${aggregate},
    order_id uuid not null references orders (id),
    position integer not null,
    label text not null,
    amount bigint not null,
    tax_amount bigint not null,
    proration boolean not null,
    product_price_id uuid references product_prices (id),
    constraint order_items_position_unique unique (order_id, position)
  )`,
  `create table payments (
    ${aggregate},
    order_id uuid not null references orders (id),
    checkout_id uuid references checkouts (id),
    amount bigint not null check (amount > 0),
    currency text not null check (currency ~ '^[a-z]{3}$'),
    confirmation_token text not null,
    status text not null check (status in ('pending', 'succeeded', 'failed')),
    due_at timestamptz,
    leased_until timestamptz
  )`,
  `create index payments_due on payments (due_at) where status = 'pending' and due_at is not null`,
  `create unique index payments_one_success_per_order on payments (order_id) where status <> 'failed'`,
]

export const createOrders = migration('20261120120000-create-orders', [...messagingTables, ...catalogue, ...customers, ...sales])
