import { migration } from '@quittance/runtime/schema'

/** Declarations are kept as they were received; the release before neither reads nor writes them. */
export const createDeclarations = migration('20261123173000-create-declarations', [
  `create table declarations (
    id uuid primary key,
    created_at timestamptz not null default now(),
    organization_id uuid not null,
    kind text not null check (kind in ('withdrawal', 'cancellation')),
    name text not null,
    email text not null,
    reference text,
    ground text check (ground in ('ordinary', 'for_cause')),
    is_verified boolean not null,
    customer_id uuid references customers (id),
    order_id uuid references orders (id),
    subscription_id uuid references subscriptions (id),
    effect text not null check (effect in ('none', 'subscription_canceled', 'subscription_ended')),
    refund_due_at timestamptz,
    constraint declarations_ground_of_cancellations check ((kind = 'cancellation') = (ground is not null)),
    constraint declarations_refund_of_withdrawals check ((kind = 'withdrawal') = (refund_due_at is not null)),
    -- An order that a stranger names is not a contract of theirs: only sessions and matches lead to one.
    constraint declarations_matched_has_customer check ((order_id is null and subscription_id is null) or customer_id is not null),
    constraint declarations_anonymous_ends_nothing check (effect <> 'subscription_ended' or is_verified)
  )`,
  `create index declarations_by_organization on declarations (organization_id, created_at, id)`,
  `create index declarations_by_address on declarations (organization_id, lower(email), created_at)`,
  `create index declarations_by_order on declarations (order_id) where order_id is not null`,
  // The moment of the consent of Art. 16(m): access starts at once, and the right of withdrawal ends with it.
  `alter table checkouts add column immediate_access_consented_at timestamptz`,
])
