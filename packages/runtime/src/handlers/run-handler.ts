import type { Caller } from '@quittance/contracts/caller'
import type { Database } from '../database/database.ts'
import type { CommandContext, FinishContext, Handler, QueryContext, WorkContext } from './handler.ts'
import { IdempotentReplay, acceptsIdempotencyKey, runIdempotent } from './idempotency.ts'
import type { Logger } from '../process/logger.ts'
import { createViewReader } from '@quittance/sql/view-reader'
import type { Execute } from '@quittance/sql/view'
import { createScope, createScopedSql, createSystemSql } from '@quittance/sql/sql-runner'
import { addSystemAccess, systemCaller, runInTransaction } from './transaction.ts'

/** Runs work that uses a connection of the pool when the tenant of the caller may have one. */
export type InSlot = <T>(work: () => Promise<T>) => Promise<T>

/** A received and parsed request. */
export interface HandlerRequest {
  request: unknown
  caller: Caller
  /** The `Idempotency-Key` of the request. */
  key: string | undefined
  unit: WorkContext
  database: Database | null
  inSlot: InSlot
  /** Throws if the caller has already timed out. */
  assertInTime: () => void
}

/** Runs the handler of an operation: reads outside any transaction, one transaction, or transactions around calls of another system. */
export async function runHandler(handler: Handler, received: HandlerRequest): Promise<unknown> {
  const { request } = received
  if (handler.kind === 'query') return handler.run(request as never, createQueryContext(received, handler.systemReason))
  if (handler.kind === 'command') return runCommandTransaction(handler, received, (context) => handler.run(request as never, context))
  const queryContext = createQueryContext(received)
  const prepared = await handler.prepare?.(request as never, queryContext)
  const { unit, inSlot, assertInTime } = received
  const committed = await inSlot(() => {
    assertInTime()
    return runCommandTransaction(handler, received, (context) =>
      handler.commit(request as never, Object.assign(context, { prepared: prepared as never })),
    )
  })
  const database = requireDatabase(received.database)
  const finishContext: FinishContext = {
    ...queryContext,
    transaction: (organizationId, work) =>
      inSlot(() => runInTransaction(database, { caller: systemCaller(organizationId), unit: { ...unit, now: new Date() } }, work)),
  }
  return handler.finish((typeof committed === 'string' ? JSON.parse(committed) : committed) as never, finishContext)
}

function createQueryContext(
  { caller, database, inSlot, unit: { now, log, traceparent } }: HandlerRequest,
  systemReason?: string,
): QueryContext {
  const execute: Execute = (statement, values) => inSlot(() => requireDatabase(database).execute(statement, values))
  const scope = createScope(caller)
  const context = {
    now,
    log,
    traceparent,
    caller,
    read: createViewReader(caller, execute),
    sql: createScopedSql(() => scope, execute),
  }
  return systemReason === undefined ? context : Object.assign(context, { systemSql: createSystemSql({ execute }, systemReason) })
}

/** Runs one transaction, or returns the stored reply of the same key. */
async function runCommandTransaction(
  handler: Handler,
  { request, caller, key, unit: { now, log: parent, traceparent }, database }: HandlerRequest,
  work: (context: CommandContext) => unknown,
): Promise<unknown> {
  const { operation } = handler
  let log: Logger | undefined
  // Most commands do not log, so the child logger is created lazily.
  const unit = {
    now,
    traceparent,
    get log() {
      return (log ??= parent.child({ trace_id: traceparent.slice(3, 35) }))
    },
  }
  return runInTransaction(requireDatabase(database), { caller, unit }, async (transaction, open) => {
    const context = Object.assign(transaction, { caller }) satisfies CommandContext
    const hasSystemAccess = handler.kind !== 'query' && handler.systemReason !== undefined
    const run = async () => work(hasSystemAccess ? addSystemAccess(context, open) : context)
    if (!key || !acceptsIdempotencyKey(operation)) return run()
    return runIdempotent({ operation, caller, key, request }, open, run)
  }).catch(getStoredReply)
}

function getStoredReply(error: unknown): string {
  if (error instanceof IdempotentReplay) return error.reply
  throw error
}

function requireDatabase(database: Database | null): Database {
  if (!database) throw new Error('This service has no database')
  return database
}
