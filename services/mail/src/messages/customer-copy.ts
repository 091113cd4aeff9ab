import { customerDeleted, customerUpdated, type Customer } from '@quittance/contracts/customers'
import type { Order } from '@quittance/contracts/orders'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer, copyConsumer, type Transaction } from '@quittance/runtime/handler'

// The later change wins, in whatever order the events arrive; a deleted customer stays deleted.
const upsert = `
  insert into customers (id, organization_id, email, locale, changed_at)
  select id, :organization_id::uuid, email, locale, changed_at
  from unnest(:ids::uuid[], :emails::text[], :locales::text[], :changes::timestamptz[]) as c (id, email, locale, changed_at)
  where :organization_id::uuid = any (:scope_organizations)
  on conflict (id) do update set email = excluded.email, locale = excluded.locale, changed_at = excluded.changed_at,
    rejected_on = case when customers.email = excluded.email then customers.rejected_on end,
    undeliverable_since = case when customers.email = excluded.email then customers.undeliverable_since end
  where customers.deleted_at is null and customers.organization_id = excluded.organization_id and customers.changed_at <= excluded.changed_at`

/** Stores addresses and languages of customers of an organization, each once, for mails of events that do not contain them. */
export async function storeCustomers(
  { sql, lockNames }: Transaction,
  customers: readonly Customer[],
  organizationId: string,
): Promise<void> {
  await lockNames(customers.map(({ id }) => customerLock(id)))
  const present = customers.filter(({ deleted_at }) => !deleted_at)
  if (present.length === 0) return
  await sql('customers.store', upsert, {
    organization_id: organizationId,
    ids: present.map(({ id }) => id),
    emails: present.map(({ email }) => email),
    // Absent in events of release 0.1.0.
    locales: present.map(({ locale }) => locale ?? null),
    changes: present.map(({ modified_at, created_at }) => modified_at ?? created_at),
  })
}

/** Stores the address and language of the buyer of an order. */
export async function storeBuyer(
  { customer }: Pick<Order, 'customer'>,
  organizationId: string | null,
  transaction: Transaction,
): Promise<void> {
  if (organizationId === null) throw new Error('The event has no organization')
  await storeCustomers(transaction, [customer], organizationId)
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

/**
 * Removes the address of a deleted customer and the contents of their mails from every row; mails that wait are not sent. The id stays for
 * good: documents keep the address, and a correction years later must not bring a mail.
 */
async function eraseCustomer(
  { sql, lockNames }: Transaction,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<void> {
  await lockNames([customerLock(id)])
  await sql('customer.mark-deleted', markDeleted, { id, organization_id: organizationId })
  await sql('customer.erase-mailbox', eraseMailbox, { id })
  await sql('customer.erase-messages', eraseMessages, { id })
}

/**
 * Updates addresses of customers. A new customer is copied with the first order, subscription or change: nothing is mailed before, except for
 * events that contain the address.
 */
export const onCustomerUpdated = copyConsumer(durableConsumers.mailCustomers, [customerUpdated], async (messages, transaction) => {
  const organizationId = messages[0]?.organizationId
  if (!organizationId) throw new Error('The event has no organization')
  await storeCustomers(
    transaction,
    messages.map(({ payload }) => payload),
    organizationId,
  )
})

/** A deleted customer loses address and mails. */
export const onCustomerDeleted = consumer(durableConsumers.mailDeletedCustomers, [customerDeleted], async (message, transaction) => {
  const { payload, organizationId } = message
  if (organizationId === null) throw new Error('The event has no organization')
  await eraseCustomer(transaction, { id: payload.id, organizationId })
})
