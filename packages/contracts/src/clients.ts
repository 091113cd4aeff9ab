/** OAuth 2.0 clients: dynamic registration (RFC 7591) and its management (RFC 7592). */
import { z } from 'zod'
import { ScopeList } from './access-tokens.ts'
import { displayName } from './display-name.ts'
import {
  InvalidClient,
  InvalidClientMetadata,
  InvalidRedirectUri,
  NotPermitted,
  TooManyRequests,
  Unauthorized,
  type ApiError,
  type ValidationIssue,
} from './errors.ts'
import { timestamps } from './identifiers.ts'
import { operation } from './operation.ts'
import { ListReply, pageRequest, sorting } from './pagination.ts'
import { scopes } from './scopes.ts'

const Uri = z.string().min(1).max(2083)

/** Configuration that a client submits. Values that break a rule of the RFC get the RFC's errors, not a 422. */
const configuration = {
  redirect_uris: z
    .array(Uri)
    .min(1)
    .max(20)
    .describe(
      'https, or http on 127.0.0.1, [::1] and localhost; for public clients also private-use schemes such as com.example.app:/callback. No fragment.',
    ),
  token_endpoint_auth_method: z
    .enum(['client_secret_post', 'client_secret_basic', 'none'])
    .default('client_secret_post')
    .describe('`none` makes it a public client, which must use PKCE.'),
  grant_types: z
    .array(z.enum(['authorization_code', 'refresh_token']))
    .min(1)
    .default(['authorization_code', 'refresh_token']),
  response_types: z
    .array(z.enum(['code']))
    .min(1)
    .default(['code']),
  scope: z.string().max(5000).default(scopes.join(' ')).describe('Space-separated; all scopes of applications if omitted.'),
  client_name: displayName({ min: 1, max: 200 }).optional().describe('Name shown to users; the host of the client if omitted.'),
  client_uri: Uri.nullish(),
  logo_uri: Uri.nullish(),
  tos_uri: Uri.nullish(),
  policy_uri: Uri.nullish(),
  post_logout_redirect_uris: z.array(Uri).max(20).default([]),
  id_token_signed_response_alg: z.enum(['RS256', 'ES256']).default('RS256'),
  dpop_bound_access_tokens: z.boolean().default(false).describe('Whether tokens are issued only with a DPoP proof (RFC 9449).'),
}

/** A client as returned by reads. */
export const OAuth2Client = z
  .object({
    ...timestamps,
    client_id: z.string(),
    client_id_issued_at: z.int().describe('Unix seconds.'),
    client_secret_expires_at: z.int().describe('Unix seconds; 0 for never.'),
    redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.string(),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    scope: z.string(),
    client_name: z.string(),
    client_uri: z.string().nullable(),
    logo_uri: z.string().nullable(),
    tos_uri: z.string().nullable(),
    policy_uri: z.string().nullable(),
    post_logout_redirect_uris: z.array(z.string()),
    id_token_signed_response_alg: z.string(),
    dpop_bound_access_tokens: z.boolean(),
  })
  .meta({ id: 'OAuth2Client' })
export type OAuth2Client = z.infer<typeof OAuth2Client>

const registered = { registration_client_uri: z.string() }

/**
 * Only for the holder of the registration token, so that a user's read-only credential does not obtain a token that can change the client.
 */
const registrationToken = z
  .string()
  .optional()
  .describe('Present if the client was read or changed with the registration access token; replaces the token that was sent.')

/** RFC 7591 §3.2.2. */
function invalidMetadata(issues: readonly ValidationIssue[]): ApiError {
  const text = issues.map(({ loc, msg }) => [loc.slice(1).join('.'), msg].filter(Boolean).join(': ')).join(' ')
  const isAboutRedirects = issues.every(({ loc }) => loc[1] === 'redirect_uris' || loc[1] === 'post_logout_redirect_uris')
  return isAboutRedirects ? new InvalidRedirectUri(text) : new InvalidClientMetadata(text)
}

export const registerClient = operation({
  subject: 'auth.client.register',
  summary: 'Register an OAuth 2.0 client; secret and registration token are shown once (RFC 7591)',
  http: {
    method: 'POST',
    path: '/v1/oauth2/register',
    status: 201,
    scopes: ['clients:write'],
    callers: ['user', 'anonymous'],
    limitedByNetwork: true,
  },
  request: z.object(configuration),
  reply: OAuth2Client.extend({
    ...registered,
    /** Absent for public clients. */
    client_secret: z.string().optional(),
    registration_access_token: z.string(),
  }),
  errors: [InvalidClientMetadata, InvalidRedirectUri, NotPermitted, TooManyRequests, Unauthorized],
  invalid: invalidMetadata,
})

export const listClients = operation({
  subject: 'auth.client.list',
  summary: 'List the OAuth 2.0 clients you registered',
  http: { method: 'GET', path: '/v1/oauth2/', status: 200, scopes: ['clients:read', 'clients:write'], callers: ['user'] },
  request: z.object({ ...pageRequest, sorting: sorting(['created_at', 'client_name'], 'created_at') }),
  reply: ListReply(
    OAuth2Client.extend({
      client_secret: z.string().describe('Never the secret itself, which is shown once: asterisks, or empty if the client has none.'),
    }).meta({
      id: 'OAuth2ClientListed',
    }),
  ),
  errors: [NotPermitted],
})

export const getClient = operation({
  subject: 'auth.client.get',
  summary: 'Get an OAuth 2.0 client, as its owner or with its registration token (RFC 7592)',
  http: {
    method: 'GET',
    path: '/v1/oauth2/register/{client_id}',
    status: 200,
    scopes: ['clients:read', 'clients:write'],
    callers: ['user', 'client'],
  },
  request: z.object({ client_id: z.string().max(100) }),
  reply: OAuth2Client.extend({ ...registered, registration_access_token: registrationToken }),
  errors: [InvalidClient, NotPermitted],
})

export const updateClient = operation({
  subject: 'auth.client.update',
  summary: 'Replace the configuration of an OAuth 2.0 client (RFC 7592)',
  http: { method: 'PUT', path: '/v1/oauth2/register/{client_id}', status: 200, scopes: ['clients:write'], callers: ['user', 'client'] },
  request: z.looseObject({ ...configuration, client_id: z.string().max(100) }),
  reply: OAuth2Client.extend({
    ...registered,
    registration_access_token: registrationToken,
    /** Present only if the client had no secret and now needs one. */
    client_secret: z.string().optional(),
  }),
  errors: [InvalidClient, InvalidClientMetadata, InvalidRedirectUri, NotPermitted],
  invalid: invalidMetadata,
})

export const deleteClient = operation({
  subject: 'auth.client.delete',
  summary: 'Delete an OAuth 2.0 client; everything issued to it stops working at once (RFC 7592)',
  http: { method: 'DELETE', path: '/v1/oauth2/register/{client_id}', status: 204, scopes: ['clients:write'], callers: ['user', 'client'] },
  request: z.object({ client_id: z.string().max(100) }),
  reply: z.null(),
  errors: [InvalidClient, NotPermitted],
})

export const createClient = operation({
  subject: 'auth.client.create',
  summary: 'Create an OAuth 2.0 client of the operator; the secret is shown once',
  request: z.object({
    name: displayName({ min: 1, max: 200 }),
    redirect_uris: z.array(Uri).min(1).max(20),
    post_logout_redirect_uris: z.array(Uri).max(20).default([]),
    scopes: ScopeList,
    is_public: z.boolean().default(false),
  }),
  reply: z.object({ client_id: z.string(), client_secret: z.string().nullable() }),
  errors: [InvalidRedirectUri],
  audience: 'operator',
})
