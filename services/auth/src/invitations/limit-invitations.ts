import { TooManyRequests } from '@quittance/contracts/errors'
import type { SqlRunner } from '@quittance/runtime/handler'

/** Invitations within 24 hours; replaced and revoked ones count. */
const maxPerOrganization = 50
const maxPerInviter = 100

interface Inviter {
  organizationId: string
  accountId: string
}

/** One user may own any number of organizations, so invitations are also counted per user; the lock includes concurrent invitations. */
const lock = `select 1 from accounts where id = :account_id for no key update`

const count = `
  select count(*)::int as count, ceil(extract(epoch from min(created_at) + interval '1 day' - now()))::int as retry_after
  from invitations where created_at > now() - interval '1 day'`

/** Throws `TooManyRequests` if the organization or the inviter has reached the daily limit. */
export async function assertInvitationQuota(rows: SqlRunner, { organizationId, accountId }: Inviter): Promise<void> {
  await rows('invitation.lock-inviter', lock, { account_id: accountId })
  const [[ofOrganization], [ofInviter]] = [
    await rows<Usage>('invitation.count-of-organization', `${count} and organization_id = :id`, { id: organizationId }),
    await rows<Usage>('invitation.count-of-inviter', `${count} and invited_by = :id`, { id: accountId }),
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
