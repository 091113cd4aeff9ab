import { organizationCreated, organizationUpdated } from '@quittance/contracts/organizations'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { completeOrganization } from './organization-defaults.ts'

/** The later event wins, in whatever order they arrive. */
const upsert = `
  insert into organizations (id, name, slug, document, occurred_at)
  select :id::uuid, :name::text, :slug::text, ${completeOrganization(':document::jsonb')}, :occurred_at::timestamptz where :id::uuid = any (:scope_organizations)
  on conflict (id) do update set name = excluded.name, slug = excluded.slug, document = excluded.document, occurred_at = excluded.occurred_at
  where organizations.occurred_at <= excluded.occurred_at`

/** Updates the copy of organizations that checkouts and invoices show. */
export const onOrganizationChanged = consumer(
  durableConsumers.ordersOrganizations,
  [organizationCreated, organizationUpdated],
  async ({ payload, payloadText, occurredAt }, { sql, bindOrganization }) => {
    bindOrganization(payload.id)
    await sql('organization.upsert', upsert, {
      id: payload.id,
      name: payload.name,
      slug: payload.slug,
      document: payloadText,
      occurred_at: occurredAt,
    })
  },
)
