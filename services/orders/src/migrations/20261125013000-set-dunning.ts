import { migration } from '@quittance/runtime/schema'

/**
 * How each organization has declined payments tried again, and how far its test clock was ahead when a payment started. The release before
 * knows neither: it has the schedule that is the default here, and ends each subscription after it.
 */
export const setDunning = migration('20261125013000-set-dunning', [
  `alter table organizations
    add column retry_after_days integer[] not null default '{1,3,5,7}',
    add column after_last_try text not null default 'canceled',
    add constraint organizations_after_last_try check (after_last_try in ('canceled', 'unpaid')) not valid,
    add constraint organizations_retry_after_days check (
      cardinality(retry_after_days) between 1 and 8 and array_ndims(retry_after_days) = 1 and array_position(retry_after_days, null) is null
      and 1 <= all (retry_after_days) and 14 >= all (retry_after_days)) not valid`,
  `alter table organizations validate constraint organizations_after_last_try`,
  `alter table organizations validate constraint organizations_retry_after_days`,
  `alter table subscriptions add constraint subscriptions_unpaid_are_not_billed
    check (status <> 'unpaid' or due_at is null and not cancel_at_period_end) not valid`,
  `alter table subscriptions validate constraint subscriptions_unpaid_are_not_billed`,
  `alter table payments add column clock_offset_ms bigint not null default 0`,
  `create index payments_declined_by_method on payments (payment_method_id, created_at) where failure_reason = 'declined'`,
])
