import { customerCreated, customerDeleted, customerSnapshotted, customerUpdated, type Customer } from '@quittance/contracts/customers'
import { durableConsumers } from '@quittance/contracts/streams'
import { copyConsumer, type Transaction } from '@quittance/runtime/handler'
import { attributeOwner } from '../owners/owners.ts'
import { lockForCustomer } from '../owners/lock-organizations.ts'

// The later change wins, in whatever order the events arrive; a deleted customer stays deleted.
const upsert = `
  insert into customers (id, organization_id, external_id, document, changed_at)
  select :id::uuid, :organization_id::uuid, :external_id::text, :document::jsonb, :changed_at::timestamptz
  where :organization_id::uuid = any (:scope_organizations)
  on conflict (id) do update set external_id = excluded.external_id, document = excluded.document, changed_at = excluded.changed_at
  where customers.deleted_at is null and customers.organization_id = excluded.organization_id and customers.changed_at <= excluded.changed_at
  returning id`

/** Stores a customer, and gives them the usage of their external id. */
async function storeCustomer({ sql }: Transaction, customer: Customer, organizationId: string): Promise<void> {
  const stored = await sql('customer.store', upsert, {
    id: customer.id,
    organization_id: organizationId,
    external_id: customer.external_id,
    // Absent in events of release 0.1.0.
    document: JSON.stringify({ ...customer, locale: customer.locale ?? null }),
    changed_at: customer.modified_at ?? customer.created_at,
  })
  if (stored.length > 0) await attributeOwner(sql, { id: customer.id, organizationId, externalId: customer.external_id })
}

const markDeleted = `
  insert into customers (id, organization_id, changed_at, deleted_at)
  select :id::uuid, :organization_id::uuid, now(), now() where :organization_id::uuid = any (:scope_organizations)
  on conflict (id) do update set external_id = null, document = null, deleted_at = now(), changed_at = now()
  where customers.organization_id = excluded.organization_id`

/**
 * Updates the copy of customers. A deleted one loses their data, and keeps owner and events: a later customer with the same external id gets
 * another owner.
 */
export const onCustomerEvent = copyConsumer(
  durableConsumers.usageCustomers,
  [customerCreated, customerUpdated, customerSnapshotted, customerDeleted],
  async ({ event, payload, organizationId }, transaction) => {
    if (organizationId === null) throw new Error('The event has no organization')
    await lockForCustomer(transaction.sql, organizationId)
    if (event.subject === customerDeleted.subject || payload.deleted_at !== null)
      await transaction.sql('customer.mark-deleted', markDeleted, { id: payload.id, organization_id: organizationId })
    else await storeCustomer(transaction, payload, organizationId)
  },
)
