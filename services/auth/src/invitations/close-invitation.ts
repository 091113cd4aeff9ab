import type { Member } from '@quittance/contracts/accounts'
import { NotPermitted, ResourceNotFound } from '@quittance/contracts/errors'
import type { SystemTransaction } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import type { JsonText } from '@quittance/sql/view'
import { tokenRevokedEvent } from '../identity/token-revoked.ts'
import { memberView } from '../identity/member-view.ts'
import { isAddressedToAccount, isOpen } from './invitation-view.ts'

/** An invitation and the account that accepts or declines it. */
export interface InvitationAnswer {
  invitationId: string
  accountId: string
}

const findVerified = `select 1 from accounts where id = :account_id and email_verified_at is not null`

/** Inviting, accepting and removing take this lock first, so that they run one after the other. */
const lockOrganization = `select 1 from organizations
  where id = (select organization_id from invitations where id = :invitation_id) for no key update`

const close = `update invitations i set closed_at = now(), outcome = :outcome, accepted_by = :accepted_by::uuid
  where i.id = :invitation_id and ${isAddressedToAccount} and ${isOpen} returning organization_id`

const join = `insert into members (organization_id, account_id) values (:organization_id, :account_id) on conflict do nothing`

/**
 * Accepts for the account: it becomes a member, and caches of its memberships are evicted. Throws `NotPermitted` while the account's own
 * address is not verified, `ResourceNotFound` for an invitation that is closed, expired or addressed to another address.
 */
export async function acceptInvitationAs(
  { invitationId, accountId }: InvitationAnswer,
  transaction: SystemTransaction,
): Promise<JsonText<Member>> {
  const { systemSql, publish, bindOrganization, read } = transaction
  const organizationId = await closeWith('accepted', { invitationId, accountId }, transaction)
  await systemSql('member.join', join, { organization_id: organizationId, account_id: accountId })
  publish(tokenRevokedEvent({ aggregateId: accountId, organizationId, user_id: accountId }))
  bindOrganization(organizationId)
  return read.one(memberView, {
    where: 'm.organization_id = :organization_id and m.account_id = :account_id',
    values: { organization_id: organizationId, account_id: accountId },
  })
}

/** Declines for the account. Throws like `acceptInvitationAs`. */
export async function declineInvitationAs(reply: InvitationAnswer, transaction: SystemTransaction): Promise<void> {
  await closeWith('declined', reply, transaction)
}

async function closeWith(
  outcome: 'accepted' | 'declined',
  { invitationId, accountId }: InvitationAnswer,
  { systemSql }: SystemTransaction,
): Promise<string> {
  if ((await systemSql('account.is-verified', findVerified, { account_id: accountId })).length === 0) {
    throw new NotPermitted('Your e-mail address is not verified. Only the owner of the invited address can accept or decline.')
  }
  await systemSql('invitation.lock-organization', lockOrganization, { invitation_id: invitationId })
  const [closed] = await systemSql<{ organization_id: string }>('invitation.close', close, {
    invitation_id: invitationId,
    account_id: accountId,
    outcome,
    accepted_by: outcome === 'accepted' ? accountId : null,
  })
  if (!closed) throw new ResourceNotFound()
  return closed.organization_id
}

const revoke = `update invitations i set closed_at = now(), outcome = 'revoked'
  where i.id = :invitation_id and i.organization_id = :organization_id
    and i.organization_id = any (:scope_organizations) and ${isOpen} returning 1`

/** Revokes an open invitation of an organization; returns false if there is none with this id. */
export async function closeInvitation(
  sql: ScopedSql,
  { organizationId, invitationId }: { organizationId: string; invitationId: string },
): Promise<boolean> {
  const revoked = await sql('invitation.revoke', revoke, { invitation_id: invitationId, organization_id: organizationId })
  return revoked.length > 0
}

const revokeOfMember = `update invitations set closed_at = now(), outcome = 'revoked'
  where organization_id = :organization_id and organization_id = any (:scope_organizations) and closed_at is null
    and (invited_by = :account_id or lower(email) = (select lower(email) from accounts where id = :account_id))`

/**
 * Revokes the invitations that a leaving member has sent and received: either would allow a return through another account. The caller
 * holds the lock on the organization, which inviting takes too.
 */
export async function revokeInvitationsOfMember(
  sql: ScopedSql,
  { organizationId, accountId }: { organizationId: string; accountId: string },
): Promise<void> {
  await sql('invitation.revoke-of-member', revokeOfMember, { organization_id: organizationId, account_id: accountId })
}
