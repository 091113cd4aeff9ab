import { hashToken } from '@quittance/runtime/credential'
import type { SystemSql } from '@quittance/sql/sql-runner'
import { isAddressedToAccount, isOpen } from './invitation-view.ts'

/** An open invitation to the signed-in account. */
export interface ReceivedInvitation {
  id: string
  organizationName: string
  /** ISO 8601, in UTC. */
  expiresAt: string
  /** Whether the opened link contains its token. */
  isLinked: boolean
}

/** The invitation of the link first, then the newest. */
const find = `
  select i.id, o.name, to_char(i.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as expires_at,
    i.token_hash = :token_hash::text as is_linked
  from invitations i join organizations o on o.id = i.organization_id
  where ${isAddressedToAccount} and ${isOpen} order by is_linked desc, i.created_at desc limit 50`

/** Reads the open invitations to the verified address of an account; `token` is that of the link, or null. At most 50. */
export async function readReceivedInvitations(
  systemSql: SystemSql,
  { accountId, token }: { accountId: string; token: string | null },
): Promise<ReceivedInvitation[]> {
  const found = await systemSql<{ id: string; name: string; expires_at: string; is_linked: boolean }>('invitations.received', find, {
    account_id: accountId,
    token_hash: hashToken(token ?? ''),
  })
  return found.map(({ id, name, expires_at, is_linked }) => ({
    id,
    organizationName: name,
    expiresAt: expires_at,
    isLinked: is_linked,
  }))
}
