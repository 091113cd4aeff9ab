import { migration } from '@quittance/runtime/schema'

/**
 * Publishes every customer once, for `usage`: the stream has only the changes of seven days. A customer who is changed at the same time is
 * published again by that change, with a later time.
 */
export const snapshotCustomers = migration('20261123180100-snapshot-customers', [
  `insert into outbox_messages (id, subject, aggregate_id, organization_id, payload, occurred_at)
  select gen_random_uuid(), 'event.customer.snapshotted', v.id, v.organization_id, row_to_json(v)::text, clock_timestamp()
  from (
    select c.id, c.created_at, c.modified_at, c.metadata, c.external_id, c.email, c.email_verified, c.name, 'individual' as type,
      null as billing_name, c.billing_address, c.tax_id, c.locale, c.organization_id, c.deleted_at,
      'https://www.gravatar.com/avatar/' || encode(sha256(convert_to(lower(c.email), 'UTF8')), 'hex') || '?d=blank' as avatar_url
    from customers c where c.deleted_at is null) v`,
])
