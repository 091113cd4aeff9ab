import type { Transaction } from '@quittance/runtime/handler'
import { sharedByCustomers, type ScopedSql } from '@quittance/sql/sql-runner'
import { ResourceNotFound, ServiceUnavailable } from '@quittance/contracts/errors'
import type { SubscriptionSettings } from '@quittance/contracts/organizations'

/** The clock of an organization's subscriptions: real time plus the offset by which its test clock was advanced. */
export interface OrganizationClock {
  now: Date
  /** Converts a time of this clock to real time, which jobs use. */
  toReal(at: Date): Date
}

const offset = `
  select clock_offset_ms::float8 as ms from organizations
  where id = :id and id = any (:scope_organizations) and ${sharedByCustomers}`

export async function loadClock({ sql, now }: Pick<Transaction, 'sql' | 'now'>, organizationId: string): Promise<OrganizationClock> {
  const [known] = await sql<{ ms: number }>('organization.clock', offset, { id: organizationId })
  const ms = known?.ms ?? 0
  return { now: new Date(now.getTime() + ms), toReal: (at) => new Date(at.getTime() - ms) }
}

const find = `
  select slug, coalesce(document #> '{page_settings,return_origins}', '[]') as return_origins,
    coalesce(document #> '{page_settings,embed_origins}', '[]') as embed_origins
  from organizations
  where id = :id and id = any (:scope_organizations)`

/** What orders needs of the copy of an organization. */
interface OrganizationRow {
  slug: string
  /** Origins that a `return_url` of the customer portal may have. */
  return_origins: string[]
  /** Origins that may show checkouts of links in a frame. */
  embed_origins: string[]
}

/**
 * Returns the copy of an organization. It arrives by event, milliseconds after the organization was created; until then the client retries.
 */
export async function requireOrganization(sql: ScopedSql, id: string): Promise<OrganizationRow> {
  const [known] = await sql<OrganizationRow>('organization.find', find, { id })
  if (!known) throw createSetupPendingError()
  return known
}

/** An organization that this service has not received yet. */
export function createSetupPendingError(): ServiceUnavailable {
  return new ServiceUnavailable('The organization is still being set up. Try again in a moment.')
}

/** Throws `ResourceNotFound` for an organization that an anonymous caller names and that does not exist. */
export async function assertOrganizationExists(sql: ScopedSql, id: string): Promise<void> {
  const [known] = await sql('organization.find', find, { id })
  if (!known) throw new ResourceNotFound()
}

const settings = `
  select document -> 'subscription_settings' as settings from organizations
  where id = :id and id = any (:scope_organizations) and ${sharedByCustomers}`

/** Subscription settings of an organization, as last received. */
export async function loadSubscriptionSettings(sql: ScopedSql, id: string): Promise<SubscriptionSettings> {
  const [known] = await sql<{ settings: SubscriptionSettings }>('organization.subscription-settings', settings, { id })
  return known?.settings ?? { allow_multiple_subscriptions: false, allow_customer_updates: true, proration_behavior: 'prorate' }
}
