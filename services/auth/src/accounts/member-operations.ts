import {
  addMember as addMemberContract,
  inviteMember as inviteMemberContract,
  removeMember as removeMemberContract,
  listMembers as listMembersContract,
} from '@quittance/contracts/accounts'
import { ResourceNotFound, NotPermitted } from '@quittance/contracts/errors'
import { command, type SqlRunner, query } from '@quittance/runtime/handler'
import { tokenRevokedEvent } from '../identity/token-revoked.ts'
import { appendJsonFields } from '@quittance/runtime/view'
import { createInvitation } from '../invitations/create-invitation.ts'
import { assertInvitationQuota } from '../invitations/limit-invitations.ts'
import { requireOwnOrganization, requireUser } from '../identity/caller-checks.ts'
import { memberView } from '../identity/member-view.ts'
import { closeInvitation, revokeInvitationsOfMember } from '../invitations/close-invitation.ts'

export const addMember = command(addMemberContract, async ({ organization_id, user_id }, { publish, rows }) => {
  const found = await rows(
    'member.both-exist',
    `select 1 from organizations o, accounts a where o.id = :organization_id and a.id = :user_id`,
    { organization_id, user_id },
  )
  if (found.length === 0) throw new ResourceNotFound()
  await rows('member.add', `insert into members (organization_id, account_id) values (:organization_id, :user_id) on conflict do nothing`, {
    organization_id,
    user_id,
  })
  publish(tokenRevokedEvent({ aggregateId: user_id, organizationId: organization_id, user_id }))
  return {}
})

/** Searches the members of the organization, never the accounts by address: an unknown address takes the same time as a known one. */
const findMember = `
  with own as materialized (
    select m.account_id, lower(a.email) as email from members m join accounts a on a.id = m.account_id where m.organization_id = :id)
  select account_id from own where email = lower(:email)`

export const inviteMember = command(inviteMemberContract, async ({ id, email }, { caller, read, rows }) => {
  const { userId } = requireUser(caller)
  requireOwnOrganization(caller, id)
  await lockAsMember(rows, { id, user_id: userId })
  const [member] = await rows<{ account_id: string }>('member.by-email', findMember, { id, email })
  // The inviter may list the members, so this discloses nothing.
  if (member) {
    const view = await read.one(memberView, {
      where: 'm.organization_id = :id and m.account_id = :account_id',
      values: { id, account_id: member.account_id },
    })
    return appendJsonFields(view, { status: 'member' as const, invitation_id: null, invitation_url: null, expires_at: null })
  }
  await assertInvitationQuota(rows, { organizationId: id, accountId: userId })
  const invitation = await createInvitation(rows, { organizationId: id, email, invitedBy: userId })
  return {
    organization_id: id,
    user_id: invitation.id,
    email: invitation.email,
    created_at: invitation.created_at,
    status: 'invited' as const,
    invitation_id: invitation.id,
    invitation_url: invitation.url,
    expires_at: invitation.expires_at,
  }
})

/** Rejects inviters who are no longer members. Gateways cache memberships for seconds; a user who has just been removed must not invite. */
async function lockAsMember(rows: SqlRunner, { id, user_id }: { id: string; user_id: string }): Promise<void> {
  await rows('organization.lock', `select 1 from organizations where id = :id for no key update`, { id })
  const found = await rows('member.is', `select 1 from members where organization_id = :id and account_id = :user_id`, { id, user_id })
  if (found.length === 0) throw new ResourceNotFound()
}

const others = `select account_id from members where organization_id = :id and account_id <> :user_id limit 1`

export const removeMember = command(removeMemberContract, async ({ id, user_id }, { caller, publish, rows }) => {
  requireUser(caller)
  requireOwnOrganization(caller, id)
  // Serializes removals: two members who remove each other at once would leave an organization without members.
  await rows('organization.lock', `select 1 from organizations where id = :id for no key update`, { id })
  const removed = await rows('member.remove', `delete from members where organization_id = :id and account_id = :user_id returning 1`, {
    id,
    user_id,
  })
  if (removed.length === 0) {
    // Clients of release 0.1.0 know an invitation by the `user_id` of its reply.
    if (await closeInvitation(rows, { organizationId: id, invitationId: user_id })) return null
    throw new ResourceNotFound()
  }
  if ((await rows('member.others', others, { id, user_id })).length === 0) {
    throw new NotPermitted('The last member of an organization cannot be removed.')
  }
  await revokeInvitationsOfMember(rows, { organizationId: id, accountId: user_id })
  await rows('grant.delete-of-member', `delete from grants where organization_id = :id and account_id = :user_id`, { id, user_id })
  await rows('consent.delete-of-member', `delete from consents where organization_id = :id and account_id = :user_id`, { id, user_id })
  publish(tokenRevokedEvent({ aggregateId: user_id, organizationId: id, user_id }))
  return null
})

export const listMembers = query(listMembersContract, ({ id, page, limit }, { caller, read }) => {
  requireOwnOrganization(caller, id)
  return read.page(memberView, {
    where: 'm.organization_id = :id',
    values: { id },
    orderBy: [
      { by: 'm.created_at', descending: false },
      { by: 'm.account_id', descending: false },
    ],
    page,
    limit,
  })
})
