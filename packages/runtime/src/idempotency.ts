import { hash } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { Conflict, RequestValidationError } from '@quittance/contracts/errors'
import { pathVariables, type Operation } from '@quittance/contracts/operation'
import type { Rows } from './handler.ts'
import { openSecret, sealSecret } from './seal.ts'
import { bound, statement } from './statement.ts'
import type { OpenTransaction } from './transact.ts'

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

const enter = `select pg_try_advisory_xact_lock(hashtextextended(:key_hash, 0)) as taken, known.request_hash, known.reply_sealed,
    known.created_at <= now() - interval '24 hours' as is_expired
  from (select 1) one left join idempotent_replies known on known.key_hash = :key_hash`
const forget = statement('idempotency.forget', `delete from idempotent_replies where key_hash = :key_hash`)
const keep = statement(
  'idempotency.keep',
  `insert into idempotent_replies (key_hash, request_hash, reply_sealed) values (:key_hash, :request_hash, :reply_sealed)`,
)

interface Entered {
  taken: boolean
  /** Null where nothing was answered under the key. */
  request_hash: string | null
  reply_sealed: string | null
  is_expired: boolean | null
}

/** A request that carries an `Idempotency-Key`. */
export interface KeyedRequest {
  operation: Operation
  caller: Caller
  key: string
  /** As it was parsed, with defaults filled in. */
  request: unknown
}

/** The transaction in which the answer is kept. */
interface Keeping extends Pick<OpenTransaction, 'executeLast' | 'onlyIf' | 'giveUp'> {
  rows: Rows
}

/** The request was answered before; whatever was begun for it again is rolled back. */
export class AnsweredBefore extends Error {
  readonly reply: string

  constructor(reply: string) {
    super('The request was answered before')
    this.reply = reply
  }
}

/** Whether a key counts for the operation: where repeating would do something twice. */
export function isRepeatable({ http }: Operation): boolean {
  return http?.method === 'POST' || http?.method === 'PATCH'
}

/**
 * Runs a command once per key, inside its transaction: the answer is kept with what it changed, or neither is. The same request
 * again gets the same answer (`AnsweredBefore`); another request under the same key is a 422; one that is still being answered is a 409.
 * An error keeps nothing, because it changed nothing. Answers may hold secrets: they are sealed under the key itself, of which only a
 * hash is kept.
 *
 * The key is looked up and the command begun at once, and goes on when the key is seen to be new: one way to the database less.
 */
export async function runOnce(
  { operation, caller, key, request }: KeyedRequest,
  { rows, executeLast, onlyIf, giveUp }: Keeping,
  run: () => Promise<unknown>,
): Promise<string> {
  const scope = scopeOf(operation, { caller, request })
  const keyHash = digest(`${scope}\n${key}`)
  const requestHash = digest(JSON.stringify(request))
  const seal = { keys: [hash('sha256', `idempotent reply${key}`, 'buffer')], context: scope }
  const entering = rows<Entered>('idempotency.enter', enter, { key_hash: keyHash }).then(([entered]) => {
    if (!entered?.taken) {
      giveUp()
      throw new Conflict('A request with this Idempotency-Key is still being answered.')
    }
    if (entered.is_expired) return executeLast(bound(forget, { key_hash: keyHash }))
    if (entered.reply_sealed === null) return
    if (entered.request_hash === requestHash) throw new AnsweredBefore(openSecret(entered.reply_sealed, seal))
    throw new RequestValidationError([
      { loc: ['header', 'Idempotency-Key'], msg: 'This key was used with another request.', type: 'value_error' },
    ])
  })
  onlyIf(entering)
  const running = run()
  // Of no interest where the key decides, else heard below.
  running.catch(() => {})
  await entering
  const reply = await running
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply ?? null)
  // Where the lock came free while we looked, the answer of who had it was not to be seen, and stands in the way here: the transaction
  // is repeated and finds it.
  executeLast(bound(keep, { key_hash: keyHash, request_hash: requestHash, reply_sealed: sealSecret(text, seal) }))
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
  return hash('sha256', text, 'hex')
}

/** What an answer costs to keep, lessened: rows come in the order of time, and a pattern is dearer to see than a length. Part of a migration. */
export const lighterReplies = [
  `drop index idempotent_replies_by_age`,
  `create index idempotent_replies_by_age on idempotent_replies using brin (created_at)`,
  `alter table idempotent_replies drop constraint idempotent_replies_key_hash_check, drop constraint idempotent_replies_request_hash_check`,
  `alter table idempotent_replies add constraint idempotent_replies_are_hashed check (length(key_hash) = 64 and length(request_hash) = 64)`,
]
