import type { Caller } from '@quittance/contracts/caller'
import { headers } from '@quittance/contracts/headers'
import type { JetStreamClient, JetStreamManager, JsMsg, NatsConnection } from 'nats'
import type { BusIdentity } from '../bus/identity.ts'
import { reportRejection } from '../bus/rejections.ts'
import type { Database } from '../database/database.ts'
import { isDatabaseUnavailable, isTransientDatabaseError } from '../database/unavailable.ts'
import type { Consumer, EventMessage } from '../handlers/handler.ts'
import { addSystemAccess, runInTransaction, systemCaller } from '../handlers/transaction.ts'
import type { Leadership } from '../jobs/leader-election.ts'
import type { Logger } from '../process/logger.ts'
import { counter } from '../process/metrics.ts'
import { startSpan, withSpans, type Span } from '../process/tracing.ts'
import { createSystemSql } from '@quittance/sql/sql-runner'
import { bindValues, statement } from '@quittance/sql/statement'
import type { DelayedAcks } from './delayed-acks.ts'
import {
  assertAuthentic,
  fromDelivery,
  isUuid,
  orderingKey,
  readEvent,
  toStored,
  UnauthenticEvent,
  UnreadableEvent,
  withoutNul,
  type IncomingMessage,
} from './incoming-event.ts'
import type { ParkedMessages } from './parked-messages.ts'
import { decideRetry } from './retry-schedule.ts'

/** What a consumer runs with. */
export interface ConsumerOptions {
  consumer: Consumer
  database: Database
  connection: NatsConnection
  identity: BusIdentity
  /** Whether an event without a signature is handled: only while the stream contains events of an earlier release. */
  acceptsUnsigned: boolean
  jetstream: JetStreamClient
  manager: JetStreamManager
  log: Logger
}

const unavailableRetryMs = 1_000

const insertInbox = statement(
  'inbox.enter',
  `insert into inbox_messages (consumer, message_id)
  select :consumer, id from unnest(:ids::uuid[]) as received (id) on conflict do nothing returning message_id`,
)
const insertDeadLetter = statement(
  'inbox.dead-letter',
  `insert into dead_letters (consumer, message_id, subject, headers, payload, reason) values (:consumer, :id, :subject, :headers, :payload, :reason)`,
)

const duplicates = counter('inbox_duplicates_total', 'Messages that had already been handled, by consumer.', ['consumer'])

/** A batch of messages that the leader handles. */
interface Turn {
  messages: readonly JsMsg[]
  /** Interruptions of the connection when the messages were received. */
  interruptions: number
  leadership: Leadership
  parked: ParkedMessages
  acks: DelayedAcks
  wait(ms: number): Promise<void>
}

/**
 * Handles messages in their order and acknowledges them. A message that fails is parked, and later messages of its organization wait behind it,
 * so that it delays no other organization. Returns false if the leadership was lost before they were handled.
 */
export async function handleInOrder(options: ConsumerOptions, turn: Turn): Promise<boolean> {
  const { leadership, wait } = turn
  while (leadership.isLeader()) {
    try {
      await handleOnce(options, turn)
      turn.acks.add(turn)
      return true
    } catch (error) {
      for (const each of turn.messages) each.working()
      if (!isTransientDatabaseError(error)) throw error
      options.log.warn({ err: error, consumer: options.consumer.subscription.durable }, 'consumer.database-unavailable')
      await wait(unavailableRetryMs)
    }
  }
  return false
}

/** Handles together the messages that may be handled now; what fails together is attempted one by one. */
async function handleOnce(options: ConsumerOptions, { messages, parked }: Turn): Promise<void> {
  const byWaiting = Map.groupBy(messages, (message) => parked.has(orderingKey(fromDelivery(message))))
  const ready = byWaiting.get(false) ?? []
  const groups = options.consumer.isScoped ? Map.groupBy(ready, (message) => orderingKey(fromDelivery(message))).values() : [ready]
  for (const group of groups) await handleGroup(options, { messages: group, parked })
  for (const message of byWaiting.get(true) ?? []) await parkBehind(options, { message, parked })
}

async function handleGroup(options: ConsumerOptions, { messages, parked }: Pick<Turn, 'messages' | 'parked'>): Promise<void> {
  try {
    await handle(options, messages.map(fromDelivery))
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    if (messages.length === 1) await parkFailed(options, { message: messages[0] as JsMsg, error, parked })
    else for (const each of messages) await handleAlone(options, { message: each, parked })
  }
}

async function handleAlone(options: ConsumerOptions, { message, parked }: { message: JsMsg; parked: ParkedMessages }): Promise<void> {
  if (parked.has(orderingKey(fromDelivery(message)))) return parkBehind(options, { message, parked })
  try {
    await handle(options, [fromDelivery(message)])
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    await parkFailed(options, { message, error, parked })
  }
}

/** Parks a message behind earlier ones of its key. */
function parkBehind(options: ConsumerOptions, { message, parked }: { message: JsMsg; parked: ParkedMessages }): Promise<void> {
  const id = messageId(message)
  if (id === null) return parkFailed(options, { message, error: new UnreadableEvent('The message has no readable id'), parked })
  return parked.park(toStored(message), { id, key: orderingKey(fromDelivery(message)) })
}

/** Returns the id of the event; null if it is not readable. */
function messageId(message: JsMsg): string | null {
  const id = fromDelivery(message).header('Nats-Msg-Id')
  return isUuid(id) ? id : null
}

interface Failed {
  message: JsMsg
  error: unknown
  parked: ParkedMessages
}

/** Parks a message after its first attempt; one that no attempt can make readable is dead-lettered at once. */
async function parkFailed(options: ConsumerOptions, { message, error, parked }: Failed): Promise<void> {
  const { consumer, log } = options
  const trace_id = message.headers?.get(headers.traceparent).slice(3, 35) || undefined
  const fields = { err: error, consumer: consumer.subscription.durable, subject: message.subject, trace_id, attempt: 1 }
  if (error instanceof UnauthenticEvent) {
    reportRejection(log, { kind: 'event', subject: message.subject, reason: error.reason, message_id: messageId(message) ?? '' })
  }
  const key = orderingKey(fromDelivery(message))
  const id = messageId(message)
  const decision = id === null ? null : decideRetry(error, 0)
  if (!decision || id === null) {
    log.error(fields, 'consumer.dead-letter')
    return deadLetterMessage(options, { message, reason: String(error) })
  }
  log.warn({ ...fields, ordering_key: key }, 'consumer.failed')
  await parked.park(toStored(message), { id, key, failed: { error, decision } })
}

/** Handles messages in one transaction with the inbox; those that have been handled before are skipped. */
export async function handle(options: ConsumerOptions, messages: readonly IncomingMessage[]): Promise<void> {
  const { consumer, database, log } = options
  const { durable } = consumer.subscription
  const sources = new Map<EventMessage, IncomingMessage>()
  for (const message of messages) {
    const event = readEvent(message, consumer.events)
    if (event) sources.set(event, message)
  }
  const decoded = [...sources.keys()]
  const relevant =
    decoded.length > 0 && consumer.selectRelevant
      ? await consumer.selectRelevant(decoded, createSystemSql(database, 'a batch has messages of several organizations'))
      : decoded
  // Only relevant events are verified: most events concern no endpoint.
  for (const event of relevant) assertAuthentic(options, { event, message: sources.get(event) as IncomingMessage })
  const spans: Span[] = []
  for (const event of relevant) {
    const span = startSpan(durable, 'consumer', event.traceparent)
    spans.push(span)
    event.traceparent = span.traceparent
  }
  const [first] = relevant
  if (!first) return
  const scope = consumer.isScoped && first.organizationId
  const caller: Caller = scope ? systemCaller(scope) : { kind: 'anonymous' }
  const { traceparent } = first
  const unit = { now: new Date(), log: log.child({ trace_id: traceparent.slice(3, 35) }), traceparent }
  const ids = relevant.map(({ id }) => id)
  const entered = await withSpans(spans, () =>
    runInTransaction(database, { caller, unit }, async (transaction, open) => {
      const inserted = await open.execute(insertInbox, bindValues(insertInbox, { consumer: durable, ids }))
      const fresh = new Set(inserted.map((row) => row['message_id'] as string))
      // `delete` also deduplicates within the batch: a message delivered twice in one batch is handled once.
      const unhandled = relevant.filter(({ id }) => fresh.delete(id))
      if (unhandled.length > 0) await consumer.run(unhandled, consumer.isScoped ? transaction : addSystemAccess(transaction, open))
      return unhandled.length
    }),
  )
  if (entered < relevant.length) duplicates.inc({ consumer: durable }, relevant.length - entered)
}

async function deadLetterMessage(
  { database, consumer }: ConsumerOptions,
  { message, reason }: { message: JsMsg; reason: string },
): Promise<void> {
  const { subject, headers: stored, payload } = toStored(message)
  const values = [consumer.subscription.durable, messageId(message), subject, stored, payload, withoutNul(reason)]
  await database.execute(insertDeadLetter, values)
}
