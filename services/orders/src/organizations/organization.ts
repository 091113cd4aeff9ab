import type { Transaction, SqlRunner } from '@quittance/runtime/handler'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import type { SubscriptionSettings } from '@quittance/contracts/organizations'

/** The clock of an organization's subscriptions: real time plus the offset by which its test clock was advanced. */
export interface OrganizationClock {
  now: Date
  /** Converts a time of this clock to real time, which jobs use. */
  toReal(at: Date): Date
}

const offset = `select clock_offset_ms::float8 as ms from organizations where id = :id`

export async function loadClock({ rows, now }: Pick<Transaction, 'rows' | 'now'>, organizationId: string): Promise<OrganizationClock> {
  const [known] = await rows<{ ms: number }>('organization.clock', offset, { id: organizationId })
  const ms = known?.ms ?? 0
  return { now: new Date(now.getTime() + ms), toReal: (at) => new Date(at.getTime() - ms) }
}

/**
 * Returns the copy of an organization. It arrives by event, milliseconds after the organization was created; until then the client retries.
 */
export async function requireOrganization(rows: SqlRunner, id: string): Promise<{ slug: string }> {
  const [known] = await rows<{ slug: string }>('organization.known', `select slug from organizations where id = :id`, { id })
  if (!known) throw new ServiceUnavailable('The organization is still being set up. Try again in a moment.')
  return known
}

const settings = `select document -> 'subscription_settings' as settings from organizations where id = :id`

/** Subscription settings of an organization, as last received. */
export async function loadSubscriptionSettings(rows: SqlRunner, id: string): Promise<SubscriptionSettings> {
  const [known] = await rows<{ settings: SubscriptionSettings }>('organization.subscription-settings', settings, { id })
  return known?.settings ?? { allow_multiple_subscriptions: false, allow_customer_updates: true, proration_behavior: 'prorate' }
}
