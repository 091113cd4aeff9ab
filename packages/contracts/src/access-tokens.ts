import { z } from 'zod'
import { NotPermitted, RequestValidationError, ResourceNotFound } from './errors.ts'
import { Id, oneOrMany, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { personalScopes, scopes } from './scopes.ts'

/** Scopes of a credential; none implies another. */
const ScopeName = z.enum(scopes).meta({ id: 'Scope' })
const PersonalScopeName = z.enum(personalScopes).meta({ id: 'PersonalScope' })

export const ScopeList = z.array(ScopeName).min(1).max(scopes.length)

/** An ISO 8601 duration (`P30D`) or seconds; null for a credential that does not expire. */
const ExpiresIn = z
  .union([z.int().min(1).max(3_153_600_000), z.iso.duration()])
  .nullish()
  .describe('Lifetime: an ISO 8601 duration or seconds; null for a credential that does not expire.')

export const OrganizationAccessToken = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    comment: z.string(),
    scopes: z.array(ScopeName),
    expires_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'OrganizationAccessToken' })
export type OrganizationAccessToken = z.infer<typeof OrganizationAccessToken>

export const listOrganizationAccessTokens = operation({
  subject: 'auth.organization-access-token.list',
  summary: 'List the organization access tokens of your organizations',
  http: {
    method: 'GET',
    path: '/v1/organization-access-tokens/',
    status: 200,
    scopes: ['organizations:read', 'organizations:write'],
    callers: ['user'],
  },
  request: z.object({
    ...pageRequest,
    organization_id: oneOrMany(Id),
    sorting: sorting(['created_at', 'comment', 'last_used_at', 'organization_id'], 'created_at'),
  }),
  reply: ListReply(OrganizationAccessToken),
  errors: [],
})

export const createOrganizationAccessToken = operation({
  subject: 'auth.organization-access-token.create',
  summary: 'Create an organization access token; the token is shown once',
  http: { method: 'POST', path: '/v1/organization-access-tokens/', status: 201, scopes: ['organizations:write'], callers: ['user'] },
  request: z.object({
    organization_id: Id.nullish().describe('The organization. Required, unless the request names it in its `Polar-Organization` header.'),
    comment: z.string().max(500).default(''),
    scopes: ScopeList,
    expires_in: ExpiresIn,
  }),
  reply: z.object({ organization_access_token: OrganizationAccessToken, token: z.string() }),
  errors: [NotPermitted, RequestValidationError],
})

export const updateOrganizationAccessToken = operation({
  subject: 'auth.organization-access-token.update',
  summary: 'Change the comment or the scopes of an organization access token',
  http: {
    method: 'PATCH',
    path: '/v1/organization-access-tokens/{id}',
    status: 200,
    scopes: ['organizations:write'],
    callers: ['user'],
  },
  request: z.object({ id: Id, comment: z.string().max(500).nullish(), scopes: ScopeList.nullish() }),
  reply: OrganizationAccessToken,
  errors: [NotPermitted, RequestValidationError, ResourceNotFound],
})

export const revokeOrganizationAccessToken = operation({
  subject: 'auth.organization-access-token.revoke',
  summary: 'Revoke an organization access token; it stops working at once everywhere',
  http: { method: 'DELETE', path: '/v1/organization-access-tokens/{id}', status: 204, scopes: ['organizations:write'], callers: ['user'] },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [NotPermitted, ResourceNotFound],
})

/** The organizations a personal token is bound to; null for all memberships of the user, including later ones. */
const BoundOrganizations = z
  .array(Id)
  .nullable()
  .describe('The organizations the token is bound to; null for all organizations the user is a member of, now and later.')

export const PersonalAccessToken = OrganizationAccessToken.omit({ organization_id: true })
  .extend({ scopes: z.array(PersonalScopeName), organization_ids: BoundOrganizations })
  .meta({ id: 'PersonalAccessToken' })
export type PersonalAccessToken = z.infer<typeof PersonalAccessToken>

export const createPersonalAccessToken = operation({
  subject: 'auth.personal-access-token.create',
  summary: 'Create a personal access token of an account; the token is shown once',
  request: z.object({
    user_id: Id,
    comment: z.string().max(500).default(''),
    scopes: z.array(PersonalScopeName).min(1).max(personalScopes.length),
    expires_in: ExpiresIn,
    organization_ids: z
      .array(Id)
      .min(1)
      .max(100)
      .nullish()
      .describe(
        'Binds the token to these organizations; the user must be a member of each. The token has no access to memberships added later.',
      ),
  }),
  // Optional: absent in replies of release 0.1.0, which binds no token.
  reply: z.object({ id: Id, token: z.string(), organization_ids: BoundOrganizations.optional() }),
  errors: [RequestValidationError],
  audience: 'operator',
})

export const listPersonalAccessTokens = operation({
  subject: 'auth.personal-access-token.list',
  summary: 'List your personal access tokens',
  http: { method: 'GET', path: '/v1/personal_access_tokens/', status: 200, scopes: ['user:read'], callers: ['user'] },
  request: z.object({ ...pageRequest, sorting: sorting(['created_at', 'comment', 'last_used_at'], 'created_at') }),
  reply: ListReply(PersonalAccessToken),
  errors: [],
})

export const revokePersonalAccessToken = operation({
  subject: 'auth.personal-access-token.revoke',
  summary: 'Revoke one of your personal access tokens; it stops working at once everywhere',
  http: { method: 'DELETE', path: '/v1/personal_access_tokens/{id}', status: 204, scopes: ['user:write'], callers: ['user'] },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [NotPermitted, ResourceNotFound],
})
