import { organizationSnapshotted } from '@quittance/contracts/organizations'
import { durableConsumers } from '@quittance/contracts/streams'
import { consumer } from '@quittance/runtime/handler'
import { sendingJobName } from './store-message.ts'

const upsert = `
  insert into organizations (id, name, slug, email, customer_email_settings, occurred_at)
  select :id::uuid, :name::text, :slug::text, :email::text, :settings::jsonb, :occurred_at::timestamptz
  where :id::uuid = any (:scope_organizations)
  on conflict (id) do update set name = excluded.name, slug = excluded.slug, email = excluded.email,
    customer_email_settings = excluded.customer_email_settings, occurred_at = excluded.occurred_at
  where organizations.occurred_at <= excluded.occurred_at`

/** Updates the copy of sellers: the name and address that mails show, and which mails they want. */
export const onOrganizationEvent = consumer(
  durableConsumers.mailOrganizations,
  [organizationSnapshotted],
  async ({ payload, occurredAt }, { sql, bindOrganization, wake }) => {
    bindOrganization(payload.id)
    await sql('organization.store', upsert, {
      id: payload.id,
      name: payload.name,
      slug: payload.slug,
      email: payload.email,
      settings: JSON.stringify(payload.customer_email_settings),
      occurred_at: occurredAt,
    })
    wake(sendingJobName)
  },
)
