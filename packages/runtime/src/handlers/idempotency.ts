import { hash } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { Conflict, RequestValidationError } from '@quittance/contracts/errors'
import { pathVariables, type Operation } from '@quittance/contracts/operation'
import { openSecret, sealSecret } from '../security/encryption.ts'
import { bindStatement, bindValues, statement } from '@quittance/sql/statement'
import type { TransactionHandle } from '../database/database-transaction.ts'

/** Table of replies stored under an `Idempotency-Key`. Part of a migration of every service with commands. */
export const idempotencyTable = [
  `create table idempotent_replies (
    key_hash text primary key check (key_hash ~ '^[0-9a-f]{64}$'),
    request_hash text not null check (request_hash ~ '^[0-9a-f]{64}$'),
    reply_sealed text not null,
    created_at timestamptz not null default now()
  )`,
  `create index idempotent_replies_by_age on idempotent_replies (created_at)`,
]

/** Deletes a batch of replies. They are stored for 24 hours. */
export const sweepIdempotentReplies = `
  delete from idempotent_replies where key_hash = any (array(
    select key_hash from idempotent_replies where created_at < now() - interval '24 hours' order by created_at limit :batch))
  returning 1`

const lookUpReply = statement(
  'idempotency.look-up',
  `select pg_try_advisory_xact_lock(hashtextextended(:key_hash, 0)) as is_locked, known.request_hash, known.reply_sealed,
    known.created_at <= now() - interval '24 hours' as is_expired
  from (select 1) one left join idempotent_replies known on known.key_hash = :key_hash`,
)
const deleteReply = statement('idempotency.delete-expired', `delete from idempotent_replies where key_hash = :key_hash`)
const insertReply = statement(
  'idempotency.insert',
  `insert into idempotent_replies (key_hash, request_hash, reply_sealed) values (:key_hash, :request_hash, :reply_sealed)`,
)

interface ReplyLookup {
  /** Whether this transaction has the lock of the key; false while another handles a request with it. */
  is_locked: boolean
  /** Null if no reply is stored under the key. */
  request_hash: string | null
  reply_sealed: string | null
  is_expired: boolean | null
}

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  operation: Operation
  caller: Caller
  key: string
  /** The parsed request, with defaults. */
  request: unknown
}

/** The transaction in which the reply is stored. */
type ReplyTransaction = Pick<TransactionHandle, 'execute' | 'executeWithCommit' | 'requireFirst' | 'failFast'>

/** An idempotent replay: a reply is already stored; the work started for this request is rolled back. */
export class IdempotentReplay extends Error {
  readonly reply: string

  constructor(reply: string) {
    super('A reply to this request is already stored')
    this.reply = reply
  }
}

/** Whether an operation accepts a key: those that are not idempotent by themselves. A raw body has a key of its sender, an event id. */
export function acceptsIdempotencyKey({ http }: Operation): boolean {
  return (http?.method === 'POST' || http?.method === 'PATCH') && !http.raw
}

/**
 * Runs a command once per key, inside its transaction: the reply is stored together with the changes, or neither is. The same request gets
 * the stored reply (`IdempotentReplay`). Another request with the same key gets a 422; a request whose first attempt is still in progress
 * gets a 409. After an error nothing is stored, because nothing was changed. Replies may contain secrets: they are encrypted with the key
 * itself, of which only a hash is stored.
 *
 * The key lookup and the command start together, and the command continues once the key is known to be new. This saves one database round
 * trip.
 */
export async function runIdempotent(
  { operation, caller, key, request }: KeyedRequest,
  { execute, executeWithCommit, requireFirst, failFast }: ReplyTransaction,
  run: () => Promise<unknown>,
): Promise<string> {
  const scope = idempotencyScope(operation, { caller, request })
  const keyHash = digest(`${scope}\n${key}`)
  const requestHash = digest(JSON.stringify(request))
  const seal = { keys: [hash('sha256', `idempotent reply${key}`, 'buffer')], context: scope }
  const lookup = execute(lookUpReply, bindValues(lookUpReply, { key_hash: keyHash })).then(([row]) => {
    const found = row as ReplyLookup | undefined
    if (!found?.is_locked) {
      failFast()
      throw new Conflict('A request with this Idempotency-Key is still in progress.')
    }
    if (found.is_expired) return executeWithCommit(bindStatement(deleteReply, { key_hash: keyHash }))
    if (found.reply_sealed === null) return
    if (found.request_hash === requestHash) throw new IdempotentReplay(openSecret(found.reply_sealed, seal))
    throw new RequestValidationError([
      { loc: ['header', 'Idempotency-Key'], msg: 'This key was used with another request.', type: 'value_error' },
    ])
  })
  requireFirst(lookup)
  const running = run()
  // Ignored if the key decides; otherwise awaited below.
  running.catch(() => {})
  await lookup
  const reply = await running
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply ?? null)
  // If another request released the lock while this one read, its reply was not visible and violates the key here: the transaction is
  // retried and finds it.
  executeWithCommit(bindStatement(insertReply, { key_hash: keyHash, request_hash: requestHash, reply_sealed: sealSecret(text, seal) }))
  return text
}

/**
 * Returns the scope of a key: different callers, operations or objects never share a key. Anonymous callers have no identity, so a request
 * of theirs that names no object is itself the object.
 */
function idempotencyScope({ subject, http }: Operation, { caller, request }: { caller: Caller; request: unknown }): string {
  const names = http ? [...pathVariables(http), ...(http.actsOn ?? [])] : []
  const object = names.map((name) => (request as Record<string, unknown>)[name])
  if (caller.kind === 'anonymous' && object.length === 0) object.push(digest(JSON.stringify(request)))
  return JSON.stringify([subject, caller.kind, callerIdentity(caller), object])
}

/**
 * Returns the owner of a key, independent of the credential used. An application is another owner than the user or organization it acts for:
 * a stored reply may contain what the application may not request, such as a new credential.
 */
function callerIdentity(caller: Caller): string | null {
  switch (caller.kind) {
    case 'organization':
      return withClient(caller.organization_id, caller.client_id)
    case 'user':
      return withClient(caller.organization_id ? `${caller.user_id} of ${caller.organization_id}` : caller.user_id, caller.client_id)
    case 'customer':
      return caller.checkout_id ? `${caller.customer_id} ${caller.checkout_id}` : caller.customer_id
    case 'client':
      return caller.client_id
    default:
      return null
  }
}

function withClient(owner: string, clientId: string | null): string {
  return clientId === null ? owner : `${owner} ${clientId}`
}

function digest(text: string): string {
  return hash('sha256', text, 'hex')
}

/**
 * Reduces the cost of storing a reply: rows arrive in chronological order, and checking a length is cheaper than checking a pattern. Part
 * of a migration.
 */
export const slimIdempotencyIndexes = [
  `drop index idempotent_replies_by_age`,
  `create index idempotent_replies_by_age on idempotent_replies using brin (created_at)`,
  `alter table idempotent_replies drop constraint idempotent_replies_key_hash_check, drop constraint idempotent_replies_request_hash_check`,
  `alter table idempotent_replies add constraint idempotent_replies_are_hashed check (length(key_hash) = 64 and length(request_hash) = 64)`,
]
