import { z } from 'zod'
import { Member } from './accounts.ts'
import { NotPermitted, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** An open invitation as returned to the inviting organization. It does not disclose whether an account with the address exists. */
export const Invitation = z
  .object({
    id: Id,
    organization_id: Id,
    email: z.string(),
    invited_by: Id.describe('The account of the member who sent it.'),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'OrganizationInvitation' })
export type Invitation = z.infer<typeof Invitation>

/** An open invitation as returned to the invited user: it shows only the name of the organization. */
export const OwnInvitation = z
  .object({ id: Id, organization_name: z.string(), email: z.string(), created_at: Timestamp, expires_at: Timestamp })
  .meta({ id: 'OwnInvitation' })
export type OwnInvitation = z.infer<typeof OwnInvitation>

export const listInvitations = operation({
  subject: 'auth.invitation.list',
  summary: 'List the open invitations of an organization',
  http: {
    method: 'GET',
    path: '/v1/organizations/{id}/invitations',
    status: 200,
    scopes: ['organizations:read', 'organizations:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id, ...pageRequest }),
  reply: ListReply(Invitation),
  errors: [ResourceNotFound],
})

export const revokeInvitation = operation({
  subject: 'auth.invitation.revoke',
  summary: 'Revoke an open invitation; it can no longer be accepted',
  http: {
    method: 'DELETE',
    path: '/v1/organizations/{id}/invitations/{invitation_id}',
    status: 204,
    scopes: ['organizations:write'],
    callers: ['user'],
  },
  request: z.object({ id: Id, invitation_id: Id }),
  reply: z.null(),
  errors: [NotPermitted, ResourceNotFound],
})

export const listOwnInvitations = operation({
  subject: 'auth.invitation.list-own',
  summary: 'List the open invitations to your verified e-mail address',
  http: { method: 'GET', path: '/v1/users/me/invitations', status: 200, scopes: ['user:read', 'user:write'], callers: ['user'] },
  request: z.object({ ...pageRequest }),
  reply: ListReply(OwnInvitation),
  errors: [NotPermitted],
})

export const acceptInvitation = operation({
  subject: 'auth.invitation.accept',
  summary: 'Accept an invitation to your verified e-mail address; you become a member of the organization',
  http: { method: 'POST', path: '/v1/users/me/invitations/{id}/accept', status: 201, scopes: ['user:write'], callers: ['user'] },
  request: z.object({ id: Id }),
  reply: Member,
  errors: [NotPermitted, ResourceNotFound],
})

export const declineInvitation = operation({
  subject: 'auth.invitation.decline',
  summary: 'Decline an invitation to your verified e-mail address',
  http: { method: 'DELETE', path: '/v1/users/me/invitations/{id}', status: 204, scopes: ['user:write'], callers: ['user'] },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [NotPermitted, ResourceNotFound],
})

export const accountMailRequested = event({
  subject: 'event.account_mail.requested',
  publisher: 'auth',
  webhookType: null,
  summary: 'A mail to an account is due: an invitation or the reset of a password, with its link.',
  payload: z.object({
    kind: z.enum(['invitation', 'password_reset']),
    /** The invitation, or the request. */
    source_id: Id,
    /** Null if a reset was requested for an address without an account: nothing is mailed. */
    recipient: z.string().nullable(),
    /** BCP 47; null if the language of the recipient is unknown. */
    locale: z.string().nullable(),
    expires_at: Timestamp,
    /** The link, encrypted under MAIL_KEY. */
    sealed_url: z.string(),
  }),
})
