import { sharedByCustomers, type ScopedSql } from '@quittance/sql/sql-runner'

/** How an organization has declined payments of subscriptions tried again. */
export interface Dunning {
  /** Days from each declined attempt to the next one. */
  retryAfterDays: readonly number[]
  /** Status of a subscription after the last declined attempt. */
  afterLastTry: 'canceled' | 'unpaid'
}

export const defaultDunning: Dunning = { retryAfterDays: [1, 3, 5, 7], afterLastTry: 'canceled' }

/** Returns the wait after this many earlier failures; null after the last attempt. */
export function retryDelayMs({ retryAfterDays }: Dunning, earlierFailures: number): number | null {
  const days = retryAfterDays[earlierFailures]
  return days === undefined ? null : days * 86_400_000
}

const find = `
  select retry_after_days as "retryAfterDays", after_last_try as "afterLastTry" from organizations
  where id = :id and id = any (:scope_organizations) and ${sharedByCustomers}`

export async function loadDunning(sql: ScopedSql, organizationId: string): Promise<Dunning> {
  const [known] = await sql<Dunning>('organization.dunning', find, { id: organizationId })
  return known ?? defaultDunning
}
