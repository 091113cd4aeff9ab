import { RequestValidationError } from '@quittance/contracts/errors'
import { claimNames } from '@quittance/runtime/claim'
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

/** Whoever else claims the address or the external id waits until this transaction ends, and then sees what it did. */
export async function claimIdentity(rows: Rows, { organizationId, email, externalId }: Omit<Identity, 'id'>): Promise<void> {
  const identities = [
    ...(email ? [`customer email ${organizationId} ${email.toLowerCase()}`] : []),
    ...(externalId ? [`customer external id ${organizationId} ${externalId}`] : []),
  ]
  await claimNames(rows, identities)
}

/** E-mail address (ignoring case) and external id are unique in an organization. */
export async function refuseTakenIdentity(rows: Rows, { id, organizationId, email, externalId }: Identity): Promise<void> {
  await claimIdentity(rows, { organizationId, email, externalId })
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
