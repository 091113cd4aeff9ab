import { z } from 'zod'
import { NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest } from './pagination.ts'

/** A person who signs in. */
export const Account = z.object({ id: Id, ...timestamps, email: z.string(), email_verified: z.boolean() }).meta({ id: 'Account' })
export type Account = z.infer<typeof Account>

export const createAccount = operation({
  subject: 'auth.account.create',
  summary: 'Create the account of a person who signs in with e-mail and password',
  request: z.object({
    email: z.email().max(254),
    password: z.string().min(8).max(200),
    email_verified: z.boolean().default(false).describe('Whether whoever creates it knows that the address is the person’s.'),
  }),
  reply: Account,
  errors: [RequestValidationError],
  audience: 'operator',
})

export const getOwnAccount = operation({
  subject: 'auth.account.get-own',
  summary: 'Get the account behind the credential',
  http: { method: 'GET', path: '/v1/users/me', status: 200, scopes: ['user:read'], callers: ['user'] },
  request: z.object({}),
  reply: Account,
  errors: [],
})

export const addMember = operation({
  subject: 'auth.member.add',
  summary: 'Make an account a member of an organization; adding twice is not an error',
  request: z.object({ organization_id: Id, user_id: Id }),
  reply: z.object({}),
  errors: [ResourceNotFound],
  audience: 'operator',
})

/** A person who may act for an organization. */
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

export const inviteMember = operation({
  subject: 'auth.member.invite',
  summary: 'Make the person with this e-mail address a member of an organization; adding twice is not an error',
  http: { method: 'POST', path: '/v1/organizations/{id}/members', status: 201, scopes: ['organizations:write'], callers: ['user'] },
  request: z.object({ id: Id, email: z.email().max(254) }),
  reply: Member,
  errors: [NotPermitted, RequestValidationError, ResourceNotFound],
})

export const removeMember = operation({
  subject: 'auth.member.remove',
  summary: 'Take a person out of an organization; what they authorized for it stops working at once',
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
