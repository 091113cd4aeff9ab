import { migration } from '@quittance/runtime/schema'

/**
 * Disputes of the sandbox, which has no account. They are objects of their payment, and `event_due_at` is when their change is read, as after
 * the event of a provider. The release before leaves them alone.
 */
export const sandboxDisputes = migration('20261201120000-sandbox-disputes', [
  `alter table disputes alter column payment_account_id drop not null`,
  `alter table disputes drop constraint disputes_unique_at_provider,
    add constraint disputes_unique_at_provider unique nulls not distinct (payment_account_id, provider_dispute)`,
  `alter table sandbox_objects drop constraint sandbox_objects_kind_check, drop constraint sandbox_objects_refund_of,
    add constraint sandbox_objects_kind_check check (kind in ('charge', 'setup', 'refund', 'dispute')),
    add constraint sandbox_objects_of_payment check ((kind in ('refund', 'dispute')) = (payment is not null)),
    add column event_due_at timestamptz`,
  `create index sandbox_objects_events_due on sandbox_objects (event_due_at) where event_due_at is not null`,
])
