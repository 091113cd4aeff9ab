import { migration } from '@quittance/runtime/schema'

/**
 * A session may be bound to one checkout, whose buyer typed the e-mail address of an existing customer. Rows written by the previous
 * release are bound to no checkout and not marked as named by the seller, which is the narrower reading of its open checkouts.
 */
export const bindSessions = migration('20261123003000-bind-sessions', [
  `alter table customer_sessions
    add column checkout_id uuid references checkouts (id),
    add column made_by_checkout_id uuid references checkouts (id),
    add constraint customer_sessions_made_by_their_checkout check (checkout_id = made_by_checkout_id)`,
  `alter table checkouts
    add column linked_customer_id uuid references customers (id),
    add column is_customer_proven boolean not null default true,
    add constraint checkouts_linked_by_id check (customer_id is not null or linked_customer_id is null)`,
])
