import { migration } from '@quittance/runtime/schema'

/**
 * Marks customers as deleted again that were forgotten 30 days after their deletion, and removes what later events stored of them. Their mails
 * show it: the recipient of a sent mail is only removed with its customer, and only that cancels a mail.
 */
export const markForgottenCustomers = `
  insert into customers (id, organization_id, changed_at, deleted_at)
  select distinct customer_id, organization_id, now(), now() from messages
  where customer_id is not null and organization_id is not null and recipient is null and status in ('sent', 'cancelled')
  on conflict (id) do update set email = null, locale = null, rejected_on = null, undeliverable_since = null, deleted_at = now(), changed_at = now()
  where customers.deleted_at is null and customers.organization_id = excluded.organization_id`

/** Deleted customers are kept for good. The release before still removes those that were deleted 30 days ago, without the index. */
export const keepDeletedCustomers = migration('20261130202500-keep-deleted-customers', [
  `drop index customers_deleted`,
  markForgottenCustomers,
])
