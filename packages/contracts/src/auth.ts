import { z } from 'zod'
import { Caller } from './caller.ts'
import { InvalidToken } from './errors.ts'
import { event } from './event.ts'
import { Id, Timestamp } from './identifiers.ts'
import { operation } from './operation.ts'
import { scopes } from './scopes.ts'

/** SHA-256 of a credential in lower-case hexadecimal; clear tokens never travel over NATS. */
export const TokenHash = z.string().regex(/^[0-9a-f]{64}$/)

/** RFC 7800 `cnf`: thumbprint (RFC 7638) of the key a token is bound to. Null for bearer tokens. */
const Confirmation = z.object({ jkt: z.string() }).nullable()

/** Asked by the gateway for every opaque credential it does not hold in its cache. */
export const verifyToken = operation({
  subject: 'auth.token.verify',
  summary: 'Tell who is behind a credential',
  request: z.object({ hash: TokenHash }),
  reply: z.object({
    caller: Caller,
    scopes: z.array(z.enum(scopes)),
    expires_at: Timestamp.nullable(),
    confirmation: Confirmation,
    /** The authorization an OAuth access token came from; null for other credentials. */
    grant_id: z.string().nullable(),
  }),
  errors: [InvalidToken],
  audience: 'gateway',
})

/** Asked for a JWT access token (RFC 9068), whose signature, issuer, audience and expiry the gateway has checked itself. */
export const verifyGrant = operation({
  subject: 'auth.grant.verify',
  summary: 'Tell whether an authorization still stands, and for whom',
  request: z.object({ grant_id: z.string().max(100), token_id: z.string().max(100) }),
  reply: z.object({ caller: Caller }),
  errors: [InvalidToken],
  audience: 'gateway',
})

/** Told to every gateway, which drops what it remembers. Exactly one of the four is not null. */
export const tokenRevoked = event({
  subject: 'event.token.revoked',
  publisher: 'auth',
  webhookType: null,
  summary: 'Credentials were revoked, or act for other organizations now; caches forget them.',
  payload: z.object({
    token_hash: TokenHash.nullable(),
    /** Every access token of one authorization. */
    grant_id: z.string().nullable(),
    /** Everything issued to one OAuth client. */
    client_id: z.string().nullable(),
    /** Everything of one person: they joined or left an organization. */
    user_id: Id.nullable(),
  }),
})

/** A public signing key (RFC 7517). */
const PublicKey = z.looseObject({ kty: z.string(), kid: z.string(), alg: z.string(), use: z.literal('sig') })

export const listSigningKeys = operation({
  subject: 'auth.signing-key.list',
  summary: 'The public keys that JWT access tokens are signed with, now and next',
  request: z.object({}),
  reply: z.object({ keys: z.array(PublicKey) }),
  errors: [],
  audience: 'gateway',
})

export const rotateSigningKeys = operation({
  subject: 'auth.signing-key.rotate',
  summary: 'Make the next signing keys current and draw new next ones; what was signed before stays valid',
  request: z.object({ force: z.boolean().default(false).describe('Also when the next keys are not yet in every cache.') }),
  reply: z.object({ keys: z.array(z.object({ kid: z.string(), alg: z.string(), state: z.enum(['next', 'current', 'retired']) })) }),
  errors: [],
  audience: 'operator',
})
