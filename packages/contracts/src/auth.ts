import { z } from 'zod'
import { Caller } from './caller.ts'
import { InvalidToken, RequestValidationError, ResourceNotFound } from './errors.ts'
import { event } from './event.ts'
import { Id, Timestamp, timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { scopes } from './scopes.ts'

const ScopeList = z.array(z.enum(scopes)).min(1).max(scopes.length)
const expiresInSeconds = z.int().min(1).nullish().describe('Lifetime in seconds; null for a credential that does not expire.')

/** SHA-256 of a credential in lower-case hexadecimal; clear tokens never travel over NATS. */
export const TokenHash = z.string().regex(/^[0-9a-f]{64}$/)

/** Asked by the gateway for every credential it does not hold in its cache. */
export const verifyToken = operation({
  subject: 'auth.token.verify',
  summary: 'Tell who is behind a credential',
  request: z.object({ hash: TokenHash }),
  reply: z.object({ caller: Caller, scopes: z.array(z.enum(scopes)), expires_at: Timestamp.nullable() }),
  errors: [InvalidToken],
  audience: 'gateway',
})

/** Told to every gateway, which drops what it remembers of the credential. */
export const tokenRevoked = event({
  subject: 'event.token.revoked',
  publisher: 'auth',
  webhookType: null,
  summary: 'A credential was revoked; caches forget it.',
  payload: z.object({ token_hash: TokenHash }),
})

export const Account = z.object({ id: Id, ...timestamps, email: z.string() }).meta({ id: 'Account' })

export const createAccount = operation({
  subject: 'auth.account.create',
  summary: 'Create the account of a person who signs in with e-mail and password',
  request: z.object({ email: z.email().max(254), password: z.string().min(8).max(200) }),
  reply: Account,
  errors: [RequestValidationError],
  audience: 'operator',
})

export const addMember = operation({
  subject: 'auth.member.add',
  summary: 'Make an account a member of an organization; adding twice is not an error',
  request: z.object({ organization_id: Id, user_id: Id }),
  reply: z.object({}),
  errors: [ResourceNotFound],
  audience: 'operator',
})

export const OrganizationAccessToken = z
  .object({
    id: Id,
    ...timestamps,
    organization_id: Id,
    comment: z.string(),
    scopes: z.array(z.enum(scopes)),
    expires_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'OrganizationAccessToken' })
export type OrganizationAccessToken = z.infer<typeof OrganizationAccessToken>

export const createOrganizationAccessToken = operation({
  subject: 'auth.organization-access-token.create',
  summary: 'Create an organization access token; the token is shown once',
  http: { method: 'POST', path: '/v1/organization-access-tokens/', status: 201, scopes: ['organizations:write'], callers: ['user'] },
  request: z.object({ organization_id: Id, comment: z.string().max(500).default(''), scopes: ScopeList, expires_in: expiresInSeconds }),
  reply: z.object({ organization_access_token: OrganizationAccessToken, token: z.string() }),
  errors: [RequestValidationError],
})

export const revokeOrganizationAccessToken = operation({
  subject: 'auth.organization-access-token.revoke',
  summary: 'Revoke an organization access token; it stops working at once everywhere',
  http: { method: 'DELETE', path: '/v1/organization-access-tokens/{id}', status: 204, scopes: ['organizations:write'], callers: ['user'] },
  request: z.object({ id: Id }),
  reply: z.null(),
  errors: [ResourceNotFound],
})

export const createPersonalAccessToken = operation({
  subject: 'auth.personal-access-token.create',
  summary: 'Create a personal access token of an account; the token is shown once',
  request: z.object({ user_id: Id, comment: z.string().max(500).default(''), scopes: ScopeList, expires_in: expiresInSeconds }),
  reply: z.object({ id: Id, token: z.string() }),
  errors: [RequestValidationError],
  audience: 'operator',
})

export const createClient = operation({
  subject: 'auth.client.create',
  summary: 'Register an OAuth 2.0 client; the secret is shown once',
  request: z.object({
    name: z.string().min(1).max(200),
    redirect_uris: z.array(z.url()).min(1).max(20),
    scopes: ScopeList,
    is_public: z.boolean().default(false),
  }),
  reply: z.object({ client_id: z.string(), client_secret: z.string().nullable() }),
  errors: [],
  audience: 'operator',
})
