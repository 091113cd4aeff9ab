import {
  addMember as addMemberContract,
  inviteMember as inviteMemberContract,
  removeMember as removeMemberContract,
  listMembers as listMembersContract,
} from '@quittance/contracts/accounts'
import { ResourceNotFound, NotPermitted } from '@quittance/contracts/errors'
import { command, query } from '@quittance/runtime/handler'
import type { ScopedSql } from '@quittance/sql/sql-runner'
import { systemCommand } from '@quittance/runtime/system-handler'
import { tokenRevokedEvent } from '../identity/token-revoked.ts'
import { appendJsonFields } from '@quittance/sql/view'
import { createInvitation } from '../invitations/create-invitation.ts'
import { assertInvitationQuota } from '../invitations/limit-invitations.ts'
import { requireOwnOrganization, requireUser } from '../identity/caller-checks.ts'
import { memberView } from '../identity/member-view.ts'
import { closeInvitation, revokeInvitationsOfMember } from '../invitations/close-invitation.ts'

export const addMember = systemCommand(
  addMemberContract,
  { reason: 'the operator adds any account to any organization' },
  async ({ organization_id, user_id }, { publish, systemSql }) => {
    const found = await systemSql(
      'member.both-exist',
      `select 1 from organizations o, accounts a where o.id = :organization_id and a.id = :user_id`,
      { organization_id, user_id },
    )
    if (found.length === 0) throw new ResourceNotFound()
    await systemSql(
      'member.add',
      `insert into members (organization_id, account_id) values (:organization_id, :user_id) on conflict do nothing`,
      {
        organization_id,
        user_id,
      },
    )
    publish(tokenRevokedEvent({ aggregateId: user_id, organizationId: organization_id, user_id }))
    return {}
  },
)

/** Searches the members of the organization, never the accounts by address: an unknown address takes the same time as a known one. */
const findMember = `
  with own as materialized (
    select m.account_id, lower(a.email) as email from members m join accounts a on a.id = m.account_id 
    where m.organization_id = :id and m.organization_id = any (:scope_organizations))
  select account_id from own where email = lower(:email)`

export const inviteMember = systemCommand(
  inviteMemberContract,
  { reason: 'counts the invitations of the inviter across organizations' },
  async ({ id, email }, { caller, read, sql, systemSql, publish }) => {
    const { userId } = requireUser(caller)
    requireOwnOrganization(caller, id)
    await lockAsMember(sql, { id, user_id: userId })
    const [member] = await sql<{ account_id: string }>('member.by-email', findMember, { id, email })
    // The inviter may list the members, so this discloses nothing.
    if (member) {
      const view = await read.one(memberView, {
        where: 'm.organization_id = :id and m.account_id = :account_id',
        values: { id, account_id: member.account_id },
      })
      return appendJsonFields(view, { status: 'member' as const, invitation_id: null, invitation_url: null, expires_at: null })
    }
    await assertInvitationQuota({ sql, systemSql }, { organizationId: id, accountId: userId })
    const invitation = await createInvitation({ sql, publish }, { organizationId: id, email, invitedBy: userId })
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
  },
)

const lockOrganization = `select 1 from organizations where id = :id and id = any (:scope_organizations) for no key update`
const ofMember = 'organization_id = :id and organization_id = any (:scope_organizations) and account_id = :user_id'
const findMembership = `select 1 from members where ${ofMember}`

/**
 * Rejects users who are no longer members. Gateways cache memberships for seconds; a user who has just been removed must neither invite nor
 * remove others.
 */
async function lockAsMember(sql: ScopedSql, { id, user_id }: { id: string; user_id: string }): Promise<void> {
  await sql('organization.lock', lockOrganization, { id })
  const found = await sql('member.find', findMembership, { id, user_id })
  if (found.length === 0) throw new ResourceNotFound()
}

const remove = `delete from members where ${ofMember} returning 1`
const deleteGrants = `delete from grants where ${ofMember}`
const deleteConsents = `delete from consents where ${ofMember}`

const others = `
  select account_id from members
  where organization_id = :id and organization_id = any (:scope_organizations) and account_id <> :user_id limit 1`

export const removeMember = command(removeMemberContract, async ({ id, user_id }, { caller, publish, sql }) => {
  const { userId } = requireUser(caller)
  requireOwnOrganization(caller, id)
  // Serializes removals: two members who remove each other at once would leave an organization without members.
  await lockAsMember(sql, { id, user_id: userId })
  const removed = await sql('member.remove', remove, { id, user_id })
  if (removed.length === 0) {
    // Clients of release 0.1.0 know an invitation by the `user_id` of its reply.
    if (await closeInvitation(sql, { organizationId: id, invitationId: user_id })) return null
    throw new ResourceNotFound()
  }
  if ((await sql('member.others', others, { id, user_id })).length === 0) {
    throw new NotPermitted('The last member of an organization cannot be removed.')
  }
  await revokeInvitationsOfMember(sql, { organizationId: id, accountId: user_id })
  await sql('grant.delete-of-member', deleteGrants, { id, user_id })
  await sql('consent.delete-of-member', deleteConsents, { id, user_id })
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
