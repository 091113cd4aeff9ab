import { RequestValidationError } from '@quittance/contracts/errors'
import { lockNames } from '@quittance/runtime/advisory-locks'
import type { SqlRunner } from '@quittance/runtime/handler'

interface Identity {
  /** The customer itself, when it is changed. */
  id: string | null
  organizationId: string
  email: string | null | undefined
  externalId: string | null | undefined
}

const taken = `
  select lower(email) = lower(:email) as email from customers
  where organization_id = :organization_id and deleted_at is null and id is distinct from :id::uuid
    and (lower(email) = lower(:email) or external_id = :external_id)`

/**
 * Locks the e-mail address and external id until the transaction ends. Concurrent transactions with the same values wait and then see its
 * result.
 */
export async function lockIdentity(rows: SqlRunner, { organizationId, email, externalId }: Omit<Identity, 'id'>): Promise<void> {
  const identities = [
    ...(email ? [`customer email ${organizationId} ${email.toLowerCase()}`] : []),
    ...(externalId ? [`customer external id ${organizationId} ${externalId}`] : []),
  ]
  await lockNames(rows, identities)
}

/** Throws unless e-mail address (ignoring case) and external id are unique in the organization. */
export async function assertIdentityAvailable(rows: SqlRunner, { id, organizationId, email, externalId }: Identity): Promise<void> {
  await lockIdentity(rows, { organizationId, email, externalId })
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
