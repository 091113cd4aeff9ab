import { createHash } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { Conflict, RequestValidationError } from '@quittance/contracts/errors'
import { pathVariables, type Operation } from '@quittance/contracts/operation'
import type { Rows } from './handler.ts'
import { openSecret, sealSecret } from './seal.ts'

/** Table of answers that were given under an `Idempotency-Key`. Part of a migration of every service with commands. */
export const idempotencyTable = [
  `create table idempotent_replies (
    key_hash text primary key check (key_hash ~ '^[0-9a-f]{64}$'),
    request_hash text not null check (request_hash ~ '^[0-9a-f]{64}$'),
    reply_sealed text not null,
    created_at timestamptz not null default now()
  )`,
  `create index idempotent_replies_by_age on idempotent_replies (created_at)`,
]

/** Answers are kept for a day. */
export const sweepIdempotentReplies = `delete from idempotent_replies where created_at < now() - interval '24 hours'`

const lock = `select pg_try_advisory_xact_lock(hashtextextended(:key_hash, 0)) as taken`
const find = `select request_hash, reply_sealed from idempotent_replies
  where key_hash = :key_hash and created_at > now() - interval '24 hours'`
const keep = `
  insert into idempotent_replies (key_hash, request_hash, reply_sealed) values (:key_hash, :request_hash, :reply_sealed)
  on conflict (key_hash) do update
    set request_hash = excluded.request_hash, reply_sealed = excluded.reply_sealed, created_at = now()`

/** A request that carries an `Idempotency-Key`. */
export interface KeyedRequest {
  operation: Operation
  caller: Caller
  key: string
  /** As it was parsed, with defaults filled in. */
  request: unknown
}

/** Whether a key counts for the operation: where repeating would do something twice. */
export function isRepeatable({ http }: Operation): boolean {
  return http?.method === 'POST' || http?.method === 'PATCH'
}

/**
 * Runs a command once per key, inside its transaction: the answer is kept with what it changed, or neither is. The same request
 * again gets the same answer; another request under the same key is a 422; one that is still being answered is a 409. An error keeps
 * nothing, because it changed nothing. Answers may hold secrets: they are sealed under the key itself, of which only a hash is kept.
 */
export async function runOnce(rows: Rows, { operation, caller, key, request }: KeyedRequest, run: () => Promise<unknown>): Promise<string> {
  const scope = scopeOf(operation, { caller, request })
  const keyHash = digest(`${scope}\n${key}`)
  const requestHash = digest(JSON.stringify(request))
  const seal = { keys: [createHash('sha256').update('idempotent reply').update(key).digest()], context: scope }
  const [locked] = await rows<{ taken: boolean }>('idempotency.lock', lock, { key_hash: keyHash })
  if (!locked?.taken) throw new Conflict('A request with this Idempotency-Key is still being answered.')
  const [known] = await rows<{ request_hash: string; reply_sealed: string }>('idempotency.find', find, { key_hash: keyHash })
  if (known) {
    if (known.request_hash === requestHash) return openSecret(known.reply_sealed, seal)
    throw new RequestValidationError([
      { loc: ['header', 'Idempotency-Key'], msg: 'This key was used with another request.', type: 'value_error' },
    ])
  }
  const reply = await run()
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply ?? null)
  await rows('idempotency.keep', keep, { key_hash: keyHash, request_hash: requestHash, reply_sealed: sealSecret(text, seal) })
  return text
}

/** Two callers, operations or objects never share a key. */
function scopeOf(operation: Operation, { caller, request }: { caller: Caller; request: unknown }): string {
  const object = operation.http ? pathVariables(operation.http).map((name) => (request as Record<string, unknown>)[name]) : []
  return JSON.stringify([operation.subject, caller.kind, identityOf(caller), object])
}

/** Whose key it is, whichever of their credentials came with it. */
function identityOf(caller: Caller): string | null {
  switch (caller.kind) {
    case 'organization':
      return caller.organization_id
    case 'user':
      return caller.user_id
    case 'customer':
      return caller.customer_id
    case 'client':
      return caller.client_id
    default:
      return null
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
