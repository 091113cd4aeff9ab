import {
  acceptInvitation as acceptInvitationContract,
  declineInvitation as declineInvitationContract,
  listInvitations as listInvitationsContract,
  listOwnInvitations as listOwnInvitationsContract,
  revokeInvitation as revokeInvitationContract,
} from '@quittance/contracts/invitations'
import { command, query } from '@quittance/runtime/handler'
import { systemCommand } from '@quittance/runtime/system-handler'
import { requireUser, requireOwnOrganization } from '../identity/caller-checks.ts'
import { acceptInvitationAs, closeInvitation, declineInvitationAs } from './close-invitation.ts'
import { invitationView, isOpen, isAddressedToAccount, ownInvitationView } from './invitation-view.ts'
import { ResourceNotFound } from '@quittance/contracts/errors'

export const acceptInvitation = systemCommand(
  acceptInvitationContract,
  { reason: 'an invitation is found by the e-mail address of the user, who is no member yet' },
  ({ id }, context) => acceptInvitationAs({ invitationId: id, accountId: requireUser(context.caller).userId }, context),
)

export const declineInvitation = systemCommand(
  declineInvitationContract,
  { reason: 'an invitation is found by the e-mail address of the user, who is no member yet' },
  async ({ id }, context) => {
    await declineInvitationAs({ invitationId: id, accountId: requireUser(context.caller).userId }, context)
    return null
  },
)

export const listInvitations = query(listInvitationsContract, ({ id, page, limit }, { caller, read }) => {
  requireOwnOrganization(caller, id)
  return read.page(invitationView, {
    where: `i.organization_id = :id and ${isOpen}`,
    values: { id },
    orderBy: [
      { by: 'i.created_at', descending: false },
      { by: 'i.id', descending: false },
    ],
    page,
    limit,
  })
})

export const listOwnInvitations = query(listOwnInvitationsContract, ({ page, limit }, { caller, read }) => {
  const { userId } = requireUser(caller)
  return read.page(ownInvitationView, {
    where: `${isAddressedToAccount} and ${isOpen}`,
    values: { account_id: userId },
    orderBy: [
      { by: 'i.created_at', descending: false },
      { by: 'i.id', descending: false },
    ],
    page,
    limit,
  })
})

export const revokeInvitation = command(revokeInvitationContract, async ({ id, invitation_id }, { caller, sql }) => {
  requireUser(caller)
  requireOwnOrganization(caller, id)
  if (!(await closeInvitation(sql, { organizationId: id, invitationId: invitation_id }))) throw new ResourceNotFound()
  return null
})
