import { RequestValidationError } from '@quittance/contracts/errors'
import type { Rows } from '@quittance/runtime/handler'

interface Identity {
  /** The customer itself when it is being changed. */
  id: string | null
  organizationId: string
  email: string | null | undefined
  externalId: string | null | undefined
}

const taken = `
  select lower(email) = lower(:email) as email from customers
  where organization_id = :organization_id and deleted_at is null and id is distinct from :id::uuid
    and (lower(email) = lower(:email) or external_id = :external_id)`

/** E-mail address (ignoring case) and external id are unique in an organization; the table's indexes guard the race. */
export async function refuseTakenIdentity(rows: Rows, { id, organizationId, email, externalId }: Identity): Promise<void> {
  const found = await rows<{ email: boolean | null }>('customer.identity-taken', taken, {
    id,
    organization_id: organizationId,
    email: email ?? null,
    external_id: externalId ?? null,
  })
  const [first] = found
  if (!first) return
  throw first.email
    ? RequestValidationError.field(['email'], 'A customer with this email address already exists.')
    : RequestValidationError.field(['external_id'], 'A customer with this external ID already exists.')
}
