import { TooManyRequests } from '@quittance/contracts/errors'
import type { ScopedSql, SystemSql } from '@quittance/sql/sql-runner'
import { lockAccount } from '../identity/lock-account.ts'

/** Invitations within 24 hours; replaced and revoked ones count. */
const maxPerOrganization = 50
const maxPerInviter = 100

interface Inviter {
  organizationId: string
  accountId: string
}

const count = `
  select count(*)::int as count, ceil(extract(epoch from min(created_at) + interval '1 day' - now()))::int as retry_after
  from invitations where created_at > now() - interval '1 day'`

const countOfOrganization = `${count} and organization_id = :id and organization_id = any (:scope_organizations)`
const countOfInviter = `${count} and invited_by = :id`

/**
 * Throws `TooManyRequests` if the organization or the inviter has reached the daily limit. One user may own any number of organizations, so
 * invitations are also counted per user; the lock includes concurrent ones.
 */
export async function assertInvitationQuota(
  { sql, systemSql }: { sql: ScopedSql; systemSql: SystemSql },
  { organizationId, accountId }: Inviter,
): Promise<void> {
  await lockAccount(systemSql, accountId)
  const [[ofOrganization], [ofInviter]] = [
    await sql<Usage>('invitation.count-of-organization', countOfOrganization, { id: organizationId }),
    await systemSql<Usage>('invitation.count-of-inviter', countOfInviter, { id: accountId }),
  ]
  if (ofOrganization && ofOrganization.count >= maxPerOrganization) throw tooMany(ofOrganization)
  if (ofInviter && ofInviter.count >= maxPerInviter) throw tooMany(ofInviter)
}

interface Usage {
  count: number
  /** Seconds until the oldest counted invitation leaves the window. */
  retry_after: number | null
}

function tooMany({ retry_after }: Usage): TooManyRequests {
  return new TooManyRequests('Too many invitations within 24 hours. Try again later.', Math.max(1, retry_after ?? 1))
}
