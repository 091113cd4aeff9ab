import { invoiceSettingsUpdated } from '@quittance/contracts/invoice-settings'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { sharedByCustomers, type ScopedSql } from '@quittance/sql/sql-runner'

const upsert = `
  insert into invoice_requirements (organization_id, missing, missing_when_taxed, occurred_at)
  select :id::uuid, :missing::text[], :missing_when_taxed::text[], :occurred_at::timestamptz where :id::uuid = any (:scope_organizations)
  on conflict (organization_id) do update
    set missing = excluded.missing, missing_when_taxed = excluded.missing_when_taxed, occurred_at = excluded.occurred_at
  where invoice_requirements.occurred_at <= excluded.occurred_at`

/** Records what the invoices of a seller lack. The later event wins, in whatever order they arrive. */
export const onInvoiceSettingsUpdated = consumer(
  durableConsumers.ordersInvoiceSettings,
  [invoiceSettingsUpdated],
  async ({ payload: { organization_id: id, missing, missing_when_taxed }, occurredAt }, { sql, bindOrganization }) => {
    bindOrganization(id)
    await sql('invoice-requirements.upsert', upsert, { id, missing, missing_when_taxed, occurred_at: occurredAt })
  },
)

const find = `
  select case when :is_taxed::boolean then missing || missing_when_taxed else missing end as missing from invoice_requirements
  where organization_id = :id and organization_id = any (:scope_organizations) and ${sharedByCustomers}`

/** Returns the names of the settings that the seller must complete before an invoice can be issued. */
export async function findMissingSellerDetails(
  sql: ScopedSql,
  { organizationId: id, isTaxed: is_taxed }: { organizationId: string; isTaxed: boolean },
): Promise<string[]> {
  const [found] = await sql<{ missing: string[] }>('invoice-requirements.find', find, { id, is_taxed })
  return found?.missing ?? []
}
