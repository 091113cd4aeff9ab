import { z } from 'zod'
import { Caller } from './caller.ts'
import { InvalidToken } from './errors.ts'
import { event } from './event.ts'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'
import { personalScopes } from './scopes.ts'

/** SHA-256 of a credential in lower-case hexadecimal. Plain-text tokens are never sent over NATS. */
export const TokenHash = z.string().regex(/^[0-9a-f]{64}$/)

/** RFC 7800 `cnf`: thumbprint (RFC 7638) of the key a token is bound to. Null for bearer tokens. */
const Confirmation = z.object({ jkt: z.string() }).nullable()

/** Called by the gateway for every opaque credential that is not in its cache. */
export const verifyToken = operation({
  subject: 'auth.token.verify',
  summary: 'Verify a credential and return its caller',
  request: z.object({ hash: TokenHash }),
  reply: z.object({
    caller: Caller,
    scopes: z.array(z.enum(personalScopes)),
    expires_at: Timestamp.nullable(),
    confirmation: Confirmation,
    /** The authorization an OAuth access token was issued for; null for other credentials. */
    grant_id: z.string().nullable(),
  }),
  errors: [InvalidToken],
  audience: 'gateway',
})

/** Called for a JWT access token (RFC 9068) after the gateway has verified its signature, issuer, audience and expiry. */
export const verifyGrant = operation({
  subject: 'auth.grant.verify',
  summary: 'Verify that an authorization is still valid and return its caller',
  request: z.object({ grant_id: z.string().max(100), token_id: z.string().max(100) }),
  reply: z.object({ caller: Caller }),
  errors: [InvalidToken],
  audience: 'gateway',
})

/** Sent to every gateway, which evicts the matching cache entries. Exactly one of the four fields is not null. */
export const tokenRevoked = event({
  subject: 'event.token.revoked',
  publisher: 'auth',
  webhookType: null,
  summary: 'Credentials were revoked, or their set of organizations changed; caches evict them.',
  payload: z.object({
    token_hash: TokenHash.nullable(),
    /** All access tokens of one authorization. */
    grant_id: z.string().nullable(),
    /** All credentials issued to one OAuth client. */
    client_id: z.string().nullable(),
    /** All credentials of one user, who joined or left an organization. */
    user_id: Id.nullable(),
  }),
})

/** A public signing key (RFC 7517). */
const PublicKey = z.looseObject({ kty: z.string(), kid: z.string(), alg: z.string(), use: z.literal('sig') })

export const listSigningKeys = operation({
  subject: 'auth.signing-key.list',
  summary: 'List the public keys that verify JWT access tokens, including the next ones',
  request: z.object({}),
  reply: z.object({ keys: z.array(PublicKey) }),
  errors: [],
  audience: 'gateway',
})

export const rotateSigningKeys = operation({
  subject: 'auth.signing-key.rotate',
  summary: 'Make the next signing keys current and create new next keys; tokens signed before remain valid',
  request: z.object({ force: z.boolean().default(false).describe('Rotate even if the next keys are not yet in every cache.') }),
  reply: z.object({ keys: z.array(z.object({ kid: z.string(), alg: z.string(), state: z.enum(['next', 'current', 'retired']) })) }),
  errors: [],
  audience: 'operator',
})
