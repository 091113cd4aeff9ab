import { z } from 'zod'
import { NotPermitted, RequestValidationError, ResourceNotFound, TooManyRequests } from './errors.ts'
import { EmailAddress, Id, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** A user account. */
export const Account = z.object({ id: Id, ...timestamps, email: z.string(), email_verified: z.boolean() }).meta({ id: 'Account' })
export type Account = z.infer<typeof Account>

export const createAccount = operation({
  subject: 'auth.account.create',
  summary: 'Create an account that signs in with e-mail and password',
  request: z.object({
    email: EmailAddress,
    password: z.string().min(8).max(200),
    email_verified: z.boolean().default(false).describe('Whether the operator has verified that the address belongs to the user.'),
  }),
  reply: Account,
  errors: [RequestValidationError],
  audience: 'operator',
})

export const verifyEmail = operation({
  subject: 'auth.account.verify-email',
  summary: 'Mark the e-mail address of an account as verified; verifying twice is not an error',
  request: z.object({ user_id: Id }),
  reply: Account,
  errors: [ResourceNotFound],
  audience: 'operator',
})

export const getOwnAccount = operation({
  subject: 'auth.account.get-own',
  summary: 'Get the account of the credential',
  http: { method: 'GET', path: '/v1/users/me', status: 200, scopes: ['user:read'], callers: ['user'] },
  request: z.object({}),
  reply: Account,
  errors: [],
})

export const addMember = operation({
  subject: 'auth.member.add',
  summary: 'Make an account a member of an organization; adding a member twice is not an error',
  request: z.object({ organization_id: Id, user_id: Id }),
  reply: z.object({}),
  errors: [ResourceNotFound],
  audience: 'operator',
})

/** A user who may act for an organization. */
export const Member = z
  .object({ organization_id: Id, user_id: Id, email: z.string(), created_at: Timestamp })
  .meta({ id: 'OrganizationMember' })
export type Member = z.infer<typeof Member>

export const listMembers = operation({
  subject: 'auth.member.list',
  summary: 'List the members of an organization',
  http: {
    method: 'GET',
    path: '/v1/organizations/{id}/members',
    status: 200,
    scopes: ['organizations:read', 'organizations:write'],
    callers: ['organization', 'user'],
  },
  request: z.object({ id: Id, ...pageRequest }),
  reply: ListReply(Member),
  errors: [ResourceNotFound],
})

/**
 * Reply to an invitation. It has the keys of `Member` because callers of release 0.1.0 read one. Until the invitation is accepted there is
 * no membership and `user_id` is the id of the invitation. Addresses with and without an account get the same reply.
 */
export const InvitedMember = Member.extend({
  user_id: Id.describe('The account if `status` is `member`; otherwise the id of the invitation, which no account has.'),
  status: z.enum(['invited', 'member']).describe('`invited` until the user accepts; `member` if the address already belongs to a member.'),
  invitation_id: Id.nullable(),
  invitation_url: z
    .string()
    .nullable()
    .describe(
      'Page on which the invited user signs in and accepts or declines. Shown once; useless without the account of the invited address.',
    ),
  expires_at: Timestamp.nullable(),
}).meta({ id: 'InvitedOrganizationMember' })
export type InvitedMember = z.infer<typeof InvitedMember>

export const inviteMember = operation({
  subject: 'auth.member.invite',
  summary: 'Invite a user by e-mail address to become a member; inviting again replaces the open invitation',
  http: { method: 'POST', path: '/v1/organizations/{id}/members', status: 201, scopes: ['organizations:write'], callers: ['user'] },
  request: z.object({ id: Id, email: EmailAddress }),
  reply: InvitedMember,
  errors: [NotPermitted, ResourceNotFound, TooManyRequests],
})

export const removeMember = operation({
  subject: 'auth.member.remove',
  summary:
    'Remove a member from an organization; authorizations the member granted for it and invitations the member sent become invalid at once',
  http: {
    method: 'DELETE',
    path: '/v1/organizations/{id}/members/{user_id}',
    status: 204,
    scopes: ['organizations:write'],
    callers: ['user'],
  },
  request: z.object({ id: Id, user_id: Id }),
  reply: z.null(),
  errors: [NotPermitted, ResourceNotFound],
})
