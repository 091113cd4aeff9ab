import type { EntityManager } from '@mikro-orm/postgresql'
import type { Caller } from '@quittance/contracts/caller'
import type { Event, PayloadOf } from '@quittance/contracts/event'
import type { Operation, ReplyOf, RequestOf } from '@quittance/contracts/operation'
import type { Subscription } from '@quittance/contracts/streams'
import type { Logger } from './log.ts'
import type { Fact } from './outbox.ts'
import type { JsonText, Read } from './view.ts'

/** What every unit of work is given. */
export interface UnitContext {
  /** The clock of this unit; nothing else reads it. */
  now: Date
  log: Logger
  traceparent: string
}

/** Runs a named statement that is bound to no organization; the author binds it. For jobs, consumers and lookups by secret. */
export type Rows = <Row = Record<string, unknown>>(name: string, sql: string, values?: Readonly<Record<string, unknown>>) => Promise<Row[]>

/** Inside one transaction. */
export interface Transaction extends UnitContext {
  em: EntityManager
  rows: Rows
  /** Tells an event after the commit. */
  publish<E extends Event>(fact: Fact<E>): void
  /** Wakes jobs of this service, at every replica, after the commit. */
  wake(...jobs: readonly string[]): void
  /** Narrows `em` and `read` to one organization; for callers that have none, once the row itself has told it. */
  actFor(organizationId: string): void
  /** Reads views as the caller sees them, including what this transaction has changed. */
  read: Read
}

export interface QueryContext extends UnitContext {
  caller: Caller
  read: Read
  rows: Rows
}

export interface CommandContext extends Transaction {
  caller: Caller
}

/** A reply is typed by the contract, or is JSON that PostgreSQL wrote from a view. */
export type Answer<O extends Operation> = ReplyOf<O> | JsonText<ReplyOf<O>>

/** An operation and what answers it. */
export type Handler =
  | { kind: 'query'; operation: Operation; run(request: never, context: QueryContext): Promise<unknown> | unknown }
  | { kind: 'command'; operation: Operation; run(request: never, context: CommandContext): Promise<unknown> | unknown }

/** Answers by reading. Runs outside any transaction and writes nothing. */
export function query<O extends Operation>(
  operation: O,
  run: (request: RequestOf<O>, context: QueryContext) => Promise<Answer<O>> | Answer<O>,
): Handler {
  return { kind: 'query', operation, run: run as never }
}

/** Answers by writing, in one transaction: everything or nothing. May run again after a conflict, so it does nothing outside. */
export function command<O extends Operation>(
  operation: O,
  run: (request: RequestOf<O>, context: CommandContext) => Promise<Answer<O>> | Answer<O>,
): Handler {
  return { kind: 'command', operation, run: run as never }
}

/** An event as a consumer gets it. */
export interface EventMessage<E extends Event = Event> {
  /** Id minted with the fact; the same through every retry, crash and replay. */
  id: string
  event: E
  payload: PayloadOf<E>
  /** The payload as it was written, byte for byte. */
  payloadText: string
  aggregateId: string
  organizationId: string | null
  /** Goes on with the trace of what made it true; for work that waits in a row. */
  traceparent: string
  occurredAt: Date
}

/** Hears events. Each message is handled once per consumer, in one transaction with what it causes. */
export interface Consumer {
  subscription: Subscription
  events: readonly Event[]
  /** Most messages that are handled in one transaction. With several it is bound to no organization. */
  most: number
  /**
   * Those that lead to anything, by a look outside any transaction. The others are passed over and leave no trace, not even against
   * being heard again.
   */
  concerning?(messages: readonly EventMessage[], rows: Rows): Promise<readonly EventMessage[]>
  run(messages: readonly EventMessage[], context: Transaction): Promise<void> | void
}

/** Hears the listed events of a subscription; others of its subject are passed over. */
export function consumer<const Events extends readonly Event[]>(
  subscription: Subscription,
  events: Events,
  run: (message: { [I in keyof Events]: EventMessage<Events[I]> }[number], context: Transaction) => Promise<void> | void,
): Consumer {
  return { subscription, events, most: 1, run: ([message], context) => run(message as never, context) }
}

/**
 * The same for what comes in quantities: messages that came together are handled together, in their order, across organizations. Where
 * that fails they are handled one by one, so that one that never works takes no others with it.
 */
export function batchConsumer<const Events extends readonly Event[]>(
  subscription: Subscription,
  events: Events,
  { run, concerning }: Batch<{ [I in keyof Events]: EventMessage<Events[I]> }[number]>,
): Consumer {
  return { subscription, events, most: mostAtOnce, run: run as never, ...(concerning && { concerning: concerning as never }) }
}

interface Batch<Message> {
  run(messages: readonly Message[], context: Transaction): Promise<void> | void
  concerning?(messages: readonly Message[], rows: Rows): Promise<readonly Message[]>
}

/** Enough to make the commit cheap, few enough to wait for. */
const mostAtOnce = 200

/** What a job is given: short statements, and transactions of its own making. No message is held while it works. */
export interface JobContext extends UnitContext {
  rows: Rows
  leaseMs: number
  /** One transaction; `organizationId` null for work across organizations. `parent` is the trace that asked for the work, if it was kept. */
  transaction<T>(organizationId: string | null, work: (transaction: Transaction) => Promise<T>, parent?: string | null): Promise<T>
  /** True once the service stops: take no new work. */
  stopping(): boolean
  /** Runs the job again at once, or as soon as the run under way ends. */
  ring(): void
}

/** Scheduled work. Runs at every replica; rows are shared out by leases, never by a leader. */
export interface Job {
  name: string
  /** Longest time between two runs, asked anew after each where it changes; `wake` runs it at once. */
  everyMs: number | (() => number)
  /** Answers true when there is more to do right now. */
  run(context: JobContext): Promise<boolean>
}

/** Describes a job. */
export function job(description: Job): Job {
  return description
}
