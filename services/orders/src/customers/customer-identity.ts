import { RequestValidationError } from '@quittance/contracts/errors'
import type { Transaction } from '@quittance/runtime/handler'
import { sharedByCustomers } from '@quittance/sql/sql-runner'

interface Identity {
  /** The customer itself, when it is changed. */
  id: string | null
  organizationId: string
  email: string | null | undefined
  externalId: string | null | undefined
}

/** Looks at the other customers too, and returns only whether a value is taken. */
const taken = `
  select lower(email) = lower(:email) as email from customers
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and deleted_at is null and id is distinct from :id::uuid
    and (lower(email) = lower(:email) or external_id = :external_id)
    and ${sharedByCustomers}`

/**
 * Locks the e-mail address and external id until the transaction ends. Concurrent transactions with the same values wait and then see its
 * result.
 */
export async function lockIdentity(
  { lockNames }: Pick<Transaction, 'lockNames'>,
  { organizationId, email, externalId }: Omit<Identity, 'id'>,
): Promise<void> {
  const identities = [
    ...(email ? [`customer email ${organizationId} ${email.toLowerCase()}`] : []),
    ...(externalId ? [`customer external id ${organizationId} ${externalId}`] : []),
  ]
  await lockNames(identities)
}

/** Throws unless e-mail address (ignoring case) and external id are unique in the organization. */
export async function assertIdentityAvailable(context: Pick<Transaction, 'sql' | 'lockNames'>, identity: Identity): Promise<void> {
  const found = await findTaken(context, identity)
  if (!found) return
  throw found.email
    ? RequestValidationError.field(['email'], 'A customer with this email address already exists.')
    : RequestValidationError.field(['external_id'], 'A customer with this external ID already exists.')
}

/** Whether another customer of the organization has the e-mail address, ignoring case; it is locked until the transaction ends. */
export async function isEmailTaken(
  context: Pick<Transaction, 'sql' | 'lockNames'>,
  identity: { id: string; organizationId: string; email: string },
): Promise<boolean> {
  return (await findTaken(context, { ...identity, externalId: null })) !== null
}

/** Returns whether the e-mail address of another customer is the same; null if neither it nor the external id is taken. */
async function findTaken(
  context: Pick<Transaction, 'sql' | 'lockNames'>,
  { id, organizationId, email, externalId }: Identity,
): Promise<{ email: boolean | null } | null> {
  await lockIdentity(context, { organizationId, email, externalId })
  const [first] = await context.sql<{ email: boolean | null }>('customer.identity-taken', taken, {
    id,
    organization_id: organizationId,
    email: email ?? null,
    external_id: externalId ?? null,
  })
  return first ?? null
}
