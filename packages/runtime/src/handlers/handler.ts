import type { EntityManager } from '@mikro-orm/postgresql'
import type { Caller } from '@quittance/contracts/caller'
import type { Event, PayloadOf } from '@quittance/contracts/event'
import type { Operation, ReplyOf, RequestOf } from '@quittance/contracts/operation'
import type { DurableConsumer } from '@quittance/contracts/streams'
import type { Logger } from '../process/logger.ts'
import type { OutboxEvent } from '../database/outbox.ts'
import type { ScopedSql, SystemSql } from '@quittance/sql/sql-runner'
import type { JsonText, ViewReader } from '@quittance/sql/view'

/** Context of every unit of work. */
export interface WorkContext {
  /** Start time of this unit of work. Use it instead of `new Date()`. */
  now: Date
  log: Logger
  traceparent: string
}

/** A point at which a lower layer of a service lets upper layers act in its transaction. */
export interface ReactionPoint<Payload> {
  name: string
  /** Only types the payload; never set. */
  payload?: Payload
}

/** Context inside one transaction. */
export interface Transaction extends WorkContext {
  em: EntityManager
  /** Runs statements in the scope of the caller, including changes of `em`. */
  sql: ScopedSql
  /**
   * Locks names until the transaction ends: another transaction that locks one of them waits and then sees the committed changes. Used for
   * unique values, so that of concurrent requests the later ones get the specific error; the table's constraint remains as a safeguard.
   */
  lockNames(names: readonly string[]): Promise<void>
  /** Publishes an event after the commit. */
  publish<E extends Event>(event: OutboxEvent<E>): void
  /**
   * Writes the changes of `em`, then runs the steps that `Service.reactions` lists for the point, in this transaction and in their order. An
   * error of a step rolls back everything.
   */
  react<Payload>(point: ReactionPoint<Payload>, payload: Payload): Promise<void>
  /** Wakes jobs of this service on every replica after the commit. */
  wake(...jobs: readonly string[]): void
  /** Restricts `em`, `sql` and `read` to one organization; for callers without one, after the row has identified it. */
  bindOrganization(organizationId: string): void
  /**
   * Extends `em`, `sql` and `read` of a session bound to a checkout to its customer: for the effects of a change, after the changed row was found
   * within the checkout. Other callers are not affected.
   */
  beyondCheckout(): void
  /** Reads views in the scope of the caller, including changes of this transaction. */
  read: ViewReader
}

/** Context inside one transaction with system access. */
export interface SystemTransaction extends Transaction {
  systemSql: SystemSql
}

export interface QueryContext extends WorkContext {
  caller: Caller
  read: ViewReader
  /** Runs statements in the scope of the caller. */
  sql: ScopedSql
}

export interface CommandContext extends Transaction {
  caller: Caller
}

/** A reply typed by the contract, or JSON that PostgreSQL created from a view. */
export type HandlerReply<O extends Operation> = ReplyOf<O> | JsonText<ReplyOf<O>>

/** Context outside any transaction, after one was committed; it can open further ones. */
export interface FinishContext extends QueryContext {
  /** Runs one transaction for one organization, retried after conflicts. */
  transaction<T>(organizationId: string, work: (transaction: Transaction) => Promise<T>): Promise<T>
}

/** The stages of an operation that calls another system. The first and the last hold no connection of the pool. */
export interface Stages<O extends Operation, Prepared, Result extends object> {
  /** Calls without side effects. Omitted if there is nothing to prepare; it also runs for an idempotent replay. */
  prepare?(request: RequestOf<O>, context: QueryContext): Promise<Prepared>
  /**
   * One transaction, retried after conflicts: records the intent, with every id that is sent to the other system. Its result is JSON, and is
   * stored under the `Idempotency-Key` instead of the reply.
   */
  commit(request: RequestOf<O>, context: CommandContext & { prepared: Prepared | undefined }): Promise<Result> | Result
  /**
   * Calls the other system, records its result in a transaction, and returns the reply. Runs again for a repeated key with the same result of
   * `commit`, also after a crash: a repeated call has the same ids.
   */
  finish(committed: Result, context: FinishContext): Promise<HandlerReply<O>> | HandlerReply<O>
}

/** An operation and its implementation. */
export type Handler =
  | ({ kind: 'staged'; operation: Operation } & ErasedStages & SystemAccess)
  | ({ kind: 'query'; operation: Operation; run(request: never, context: QueryContext): Promise<unknown> | unknown } & SystemAccess)
  | ({ kind: 'command'; operation: Operation; run(request: never, context: CommandContext): Promise<unknown> | unknown } & SystemAccess)

/** Set for handlers of `system-handler.ts`: why the operation reaches rows of more than its caller's organizations. */
interface SystemAccess {
  systemReason?: string
}

/** Stages with erased types. */
interface ErasedStages {
  prepare?(request: never, context: QueryContext): Promise<unknown>
  commit(request: never, context: CommandContext & { prepared: never }): Promise<object> | object
  finish(committed: never, context: FinishContext): Promise<unknown> | unknown
}

/** Defines a handler that reads. Runs outside any transaction and writes nothing. */
export function query<O extends Operation>(
  operation: O,
  run: (request: RequestOf<O>, context: QueryContext) => Promise<HandlerReply<O>> | HandlerReply<O>,
): Handler {
  return { kind: 'query', operation, run: run as never }
}

/** Defines a handler that writes in one transaction. It may run again after a conflict, so it has no effects outside the transaction. */
export function command<O extends Operation>(
  operation: O,
  run: (request: RequestOf<O>, context: CommandContext) => Promise<HandlerReply<O>> | HandlerReply<O>,
): Handler {
  return { kind: 'command', operation, run: run as never }
}

/** Defines a handler that calls another system between two transactions. Each stage costs a database round trip. */
export function staged<O extends Operation, Prepared, Result extends object>(operation: O, stages: Stages<O, Prepared, Result>): Handler {
  return { kind: 'staged', operation, ...(stages as unknown as ErasedStages) }
}

/** An event as passed to a consumer. Its id is created with it, and the same for every retry, crash and replay. */
export interface EventMessage<E extends Event = Event> {
  id: string
  event: E
  payload: PayloadOf<E>
  /** The payload as stored, byte for byte. */
  payloadText: string
  aggregateId: string
  organizationId: string | null
  /** Continues the trace of the command that caused the event; for work queued in a row. */
  traceparent: string
  occurredAt: Date
}

/** Handles events. Each message is processed once per consumer, in one transaction with its effects. */
export interface Consumer {
  subscription: DurableConsumer
  events: readonly Event[]
  /** Maximum number of messages per transaction. */
  maxBatchSize: number
  /** Whether a transaction belongs to one organization; otherwise it is a `SystemTransaction` without one. */
  isScoped: boolean
  /**
   * Selects the messages that have effects, outside any transaction. The others are skipped and not entered in the inbox, so they may be
   * delivered again.
   */
  selectRelevant?(messages: readonly EventMessage[], systemSql: SystemSql): Promise<readonly EventMessage[]>
  run(messages: readonly EventMessage[], context: Transaction): Promise<void> | void
}

/** Defines a consumer of the listed events of a durable. Other events of its subject are skipped. */
export function consumer<const Events extends readonly Event[]>(
  subscription: DurableConsumer,
  events: Events,
  run: (message: MessageOf<Events>, context: Transaction) => Promise<void> | void,
): Consumer {
  return { subscription, events, maxBatchSize: 1, isScoped: true, run: ([message], context) => run(message as never, context) }
}

/**
 * Defines a consumer that keeps a copy of rows of another service: messages of one organization that arrive together are handled in one
 * transaction. `store` gets them in order, in groups in which no aggregate occurs twice. If that fails they are handled one by one.
 */
export function copyConsumer<const Events extends readonly Event[]>(
  subscription: DurableConsumer,
  events: Events,
  store: (messages: readonly MessageOf<Events>[], context: Transaction) => Promise<void>,
): Consumer {
  async function run(messages: readonly EventMessage[], context: Transaction): Promise<void> {
    let group = new Map<string, EventMessage>()
    for (const message of messages) {
      if (group.has(message.aggregateId)) {
        await store([...group.values()] as never, context)
        group = new Map()
      }
      group.set(message.aggregateId, message)
    }
    await store([...group.values()] as never, context)
  }
  return { subscription, events, maxBatchSize, isScoped: true, run }
}

type MessageOf<Events extends readonly Event[]> = { [I in keyof Events]: EventMessage<Events[I]> }[number]

/**
 * Defines a consumer for high volume: messages that arrive together are handled together, in order, across organizations. If that fails
 * they are handled one by one, so that a failing message does not affect others.
 */
export function batchConsumer<const Events extends readonly Event[]>(
  subscription: DurableConsumer,
  events: Events,
  { run, concerning }: Batch<MessageOf<Events>>,
): Consumer {
  const selection = concerning && { selectRelevant: concerning as never }
  return { subscription, events, maxBatchSize, isScoped: false, run: run as never, ...selection }
}

interface Batch<Message> {
  run(messages: readonly Message[], context: SystemTransaction): Promise<void> | void
  concerning?(messages: readonly Message[], systemSql: SystemSql): Promise<readonly Message[]>
}

/** Large enough to amortize the commit, small enough to limit latency. */
const maxBatchSize = 200

/** Context of a job: short statements, and transactions it opens itself. No message is held while it runs. */
export interface JobContext extends WorkContext {
  systemSql: SystemSql
  leaseMs: number
  /** Runs one transaction for one organization. `parent` is the trace that requested the work, if it was stored. */
  transaction<T>(organizationId: string, work: (transaction: Transaction) => Promise<T>, parent?: string | null): Promise<T>
  /** Runs one transaction across organizations. */
  systemTransaction<T>(work: (transaction: SystemTransaction) => Promise<T>): Promise<T>
  /** True once the service stops: claim no new work. */
  isStopping(): boolean
  /** Runs the job again immediately: beside the current run as far as its `concurrency` permits, otherwise after it. */
  runAgain(): void
}

/** Scheduled work. Runs on every replica; rows are distributed by leases, not by a leader. */
export interface Job {
  name: string
  /** Maximum time between two runs, evaluated again after each run if it is a function; `wake` runs the job immediately. */
  everyMs: number | (() => number)
  /** Maximum number of runs at once in a process, 1 if absent. A wake-up starts one; it calls `runAgain` if there is more work. */
  concurrency?: number
  /** Returns true if there is more to do now. */
  run(context: JobContext): Promise<boolean>
}

/** Defines a job. */
export function job(description: Job): Job {
  return description
}
