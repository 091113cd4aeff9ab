import { organizationCreated, organizationUpdated } from '@quittance/contracts/organizations'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { completeOrganization } from './organization-defaults.ts'

/** The later event wins, in whatever order they arrive. */
const keep = `
  insert into organizations (id, name, slug, document, occurred_at) values (:id, :name, :slug, ${completeOrganization(':document::jsonb')}, :occurred_at)
  on conflict (id) do update set name = excluded.name, slug = excluded.slug, document = excluded.document, occurred_at = excluded.occurred_at
  where organizations.occurred_at <= excluded.occurred_at`

/** Updates the copy of organizations that checkouts and invoices show. */
export const onOrganizationChanged = consumer(
  durableConsumers.ordersOrganizations,
  [organizationCreated, organizationUpdated],
  async ({ payload, payloadText, occurredAt }, { rows }) => {
    await rows('organization.keep', keep, {
      id: payload.id,
      name: payload.name,
      slug: payload.slug,
      document: payloadText,
      occurred_at: occurredAt,
    })
  },
)
