import { migration } from '@quittance/runtime/schema'

/** Links to buy, and for a minute which network has opened one. The release before neither reads nor writes them. */
export const createCheckoutLinks = migration('20261124201000-create-checkout-links', [
  `create table checkout_links (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null,
    client_secret text not null unique check (client_secret ~ '^qt_cl_[0-9A-Za-z]+$'),
    product_ids uuid[] not null check (cardinality(product_ids) between 1 and 20 and array_position(product_ids, null) is null),
    discount_id uuid references discounts (id),
    label text,
    success_url text check (success_url <> ''),
    allow_discount_codes boolean not null,
    require_billing_address boolean not null,
    metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
    deleted_at timestamptz
  )`,
  `create index checkout_links_by_organization on checkout_links (organization_id, created_at, id)`,
  `create table checkout_link_visits (
    checkout_id uuid primary key references checkouts (id),
    organization_id uuid not null,
    network text not null check (length(network) between 1 and 64),
    created_at timestamptz not null default now()
  )`,
  `create index checkout_link_visits_by_network on checkout_link_visits (organization_id, network, created_at)`,
  `create index checkout_link_visits_by_time on checkout_link_visits (created_at)`,
])
