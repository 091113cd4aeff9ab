import { migration } from '@quittance/runtime/schema'

/**
 * Marks customers as deleted again that were forgotten 30 days after their deletion, and removes what later events stored of them. Their mails
 * show it: the recipient of a sent mail is only removed with its customer, and only that cancels a mail.
 */
export const markForgottenCustomers = [
  `insert into customers (id, organization_id, changed_at, deleted_at)
  select distinct customer_id, organization_id, now(), now() from messages
  where customer_id is not null and organization_id is not null and recipient is null and status in ('sent', 'cancelled')
  on conflict (id) do update set email = null, locale = null, rejected_on = null, undeliverable_since = null, deleted_at = now(), changed_at = now()
  where customers.deleted_at is null and customers.organization_id = excluded.organization_id`,
  `delete from mailbox_messages where id in (
    select m.id from messages m join customers c on c.id = m.customer_id and c.organization_id = m.organization_id
    where c.deleted_at is not null)`,
  `update messages m set recipient = null, locale = null, content = null, sealed_secret = null, last_error = null,
    status = case when m.status = 'waiting' then 'cancelled' else m.status end,
    next_attempt_at = null, leased_until = null, ended_at = coalesce(m.ended_at, now())
  from customers c
  where c.id = m.customer_id and c.organization_id = m.organization_id and c.deleted_at is not null and m.recipient is not null`,
]

/**
 * Deleted customers are kept for good. The release before removes those that were deleted 30 days ago: the trigger keeps them beside it, and after a
 * return to it. Its index stays until a later release.
 */
export const keepDeletedCustomers = migration('20261130202500-keep-deleted-customers', [
  ...markForgottenCustomers,
  `create function keep_deleted_customer() returns trigger language plpgsql as $$ begin return null; end $$`,
  `create trigger keep_deleted_customer before delete on customers for each row when (old.deleted_at is not null)
    execute function keep_deleted_customer()`,
])
