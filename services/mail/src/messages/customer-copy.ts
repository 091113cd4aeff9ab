import { customerCreated, customerDeleted, customerUpdated, type Customer } from '@quittance/contracts/customers'
import { durableConsumers } from '@quittance/contracts/streams'
import { copyConsumer, type Transaction } from '@quittance/runtime/handler'

// The later change wins, in whatever order the events arrive; a deleted customer stays deleted.
const upsert = `
  insert into customers (id, organization_id, email, locale, changed_at)
  select :id::uuid, :organization_id::uuid, :email::text, :locale::text, :changed_at::timestamptz
  where :organization_id::uuid = any (:scope_organizations)
  on conflict (id) do update set email = excluded.email, locale = excluded.locale, changed_at = excluded.changed_at,
    rejected_on = case when customers.email = excluded.email then customers.rejected_on end,
    undeliverable_since = case when customers.email = excluded.email then customers.undeliverable_since end
  where customers.deleted_at is null and customers.organization_id = excluded.organization_id and customers.changed_at <= excluded.changed_at`

/** Stores address and language of a customer, for mails of events that do not contain them. */
export async function storeCustomer({ sql, lockNames }: Transaction, customer: Customer, organizationId: string): Promise<void> {
  await lockNames([customerLock(customer.id)])
  if (customer.deleted_at) return
  await sql('customer.store', upsert, {
    id: customer.id,
    organization_id: organizationId,
    email: customer.email,
    // Absent in events of release 0.1.0.
    locale: customer.locale ?? null,
    changed_at: customer.modified_at ?? customer.created_at,
  })
}

/** Serializes mails to a customer with the deletion of the customer. */
export const customerLock = (customerId: string) => `mail customer ${customerId}`

const markDeleted = `
  insert into customers (id, organization_id, changed_at, deleted_at)
  select :id::uuid, :organization_id::uuid, now(), now() where :organization_id::uuid = any (:scope_organizations)
  on conflict (id) do update set email = null, locale = null, rejected_on = null, undeliverable_since = null, deleted_at = now(), changed_at = now()
  where customers.organization_id = excluded.organization_id`

const eraseMessages = `
  update messages set recipient = null, locale = null, content = null, sealed_secret = null, last_error = null,
    status = case when status = 'waiting' then 'cancelled' else status end,
    next_attempt_at = null, leased_until = null, ended_at = coalesce(ended_at, now())
  where customer_id = :id and organization_id = any (:scope_organizations)`

const eraseMailbox = `
  delete from mailbox_messages where id in
    (select id from messages where customer_id = :id and organization_id = any (:scope_organizations))`

/** Removes the address of a deleted customer and the contents of their mails from every row; mails that wait are not sent. */
async function eraseCustomer(
  { sql, lockNames }: Transaction,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<void> {
  await lockNames([customerLock(id)])
  await sql('customer.mark-deleted', markDeleted, { id, organization_id: organizationId })
  await sql('customer.erase-mailbox', eraseMailbox, { id })
  await sql('customer.erase-messages', eraseMessages, { id })
}

/** Updates the copy of customers; a deleted one loses address and mails. */
export const onCustomerEvent = copyConsumer(
  durableConsumers.mailCustomers,
  [customerCreated, customerUpdated, customerDeleted],
  async ({ event, payload, organizationId }, transaction) => {
    if (organizationId === null) throw new Error('The event has no organization')
    if (event.subject === customerDeleted.subject) await eraseCustomer(transaction, { id: payload.id, organizationId })
    else await storeCustomer(transaction, payload, organizationId)
  },
)
