import { migration } from '@quittance/runtime/schema'

/** Refunds. The totals on the order are authoritative and checked; these rows are their parts. */
export const createRefunds = migration('20261120230000-create-refunds', [
  `create table refunds (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    version integer not null default 1,
    organization_id uuid not null,
    order_id uuid not null references orders (id),
    status text not null check (status in ('pending', 'succeeded', 'failed', 'canceled')),
    reason text not null
      check (reason in ('duplicate', 'fraudulent', 'customer_request', 'service_disruption', 'satisfaction_guarantee', 'other')),
    amount bigint not null check (amount > 0),
    tax_amount bigint not null check (tax_amount >= 0),
    currency text not null check (currency ~ '^[a-z]{3}$'),
    comment text,
    revoke_benefits boolean not null default false,
    metadata jsonb not null default '{}'
  )`,
  `create index refunds_by_organization on refunds (organization_id, created_at, id)`,
  `create index refunds_by_order on refunds (order_id)`,
])
