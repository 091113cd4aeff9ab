import { customerCreated, customerDeleted, customerSnapshotted, customerUpdated, type Customer } from '@quittance/contracts/customers'
import { durableConsumers } from '@quittance/contracts/streams'
import { copyConsumer, type Transaction } from '@quittance/runtime/handler'
import { attributeOwners } from '../owners/owners.ts'
import { lockForCustomer } from '../owners/lock-organizations.ts'

// The later change wins, in whatever order the events arrive; a deleted customer stays deleted.
const upsert = `
  insert into customers (id, organization_id, external_id, document, changed_at)
  select id, :organization_id::uuid, external_id, document::jsonb, changed_at
  from unnest(:ids::uuid[], :external_ids::text[], :documents::text[], :changes::timestamptz[]) as c (id, external_id, document, changed_at)
  where :organization_id::uuid = any (:scope_organizations)
  on conflict (id) do update set external_id = excluded.external_id, document = excluded.document, changed_at = excluded.changed_at
  where customers.deleted_at is null and customers.organization_id = excluded.organization_id and customers.changed_at <= excluded.changed_at
  returning id`

/** Stores customers, and gives them the usage of their external ids. */
async function storeCustomers({ sql }: Transaction, customers: readonly Customer[], organizationId: string): Promise<void> {
  const stored = await sql<{ id: string }>('customers.store', upsert, {
    organization_id: organizationId,
    ids: customers.map(({ id }) => id),
    external_ids: customers.map(({ external_id }) => external_id),
    // Absent in events of release 0.1.0.
    documents: customers.map((customer) => JSON.stringify({ ...customer, locale: customer.locale ?? null })),
    changes: customers.map(({ modified_at, created_at }) => modified_at ?? created_at),
  })
  const changed = new Set(stored.map(({ id }) => id))
  await attributeOwners(
    sql,
    organizationId,
    customers.filter(({ id }) => changed.has(id)),
  )
}

const markDeleted = `
  insert into customers (id, organization_id, changed_at, deleted_at)
  select id, :organization_id::uuid, now(), now() from unnest(:ids::uuid[]) id where :organization_id::uuid = any (:scope_organizations)
  on conflict (id) do update set external_id = null, document = null, deleted_at = now(), changed_at = now()
  where customers.organization_id = excluded.organization_id`

/**
 * Updates the copy of customers. A deleted one loses their data, and keeps owner and events: a later customer with the same external id gets
 * another owner.
 */
export const onCustomerEvent = copyConsumer(
  durableConsumers.usageCustomers,
  [customerCreated, customerUpdated, customerSnapshotted, customerDeleted],
  async (messages, transaction) => {
    const organizationId = messages[0]?.organizationId
    if (!organizationId) throw new Error('The event has no organization')
    await lockForCustomer(transaction.sql, organizationId)
    const isDeletion = ({ event, payload }: (typeof messages)[number]) =>
      event.subject === customerDeleted.subject || payload.deleted_at !== null
    const [stored, deleted] = [messages.filter((message) => !isDeletion(message)), messages.filter(isDeletion)]
    if (stored.length > 0)
      await storeCustomers(
        transaction,
        stored.map(({ payload }) => payload),
        organizationId,
      )
    if (deleted.length === 0) return
    await transaction.sql('customers.mark-deleted', markDeleted, {
      ids: deleted.map(({ payload }) => payload.id),
      organization_id: organizationId,
    })
  },
)
