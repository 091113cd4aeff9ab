import type { Event } from '@quittance/contracts/event'
import { headers } from '@quittance/contracts/headers'
import { eventStream } from '@quittance/contracts/streams'
import {
  AckPolicy,
  DeliverPolicy,
  nanos,
  NatsError,
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from 'nats'
import type { Caller } from '@quittance/contracts/caller'
import { createAlarm } from './alarm.ts'
import type { Database } from './database.ts'
import type { Consumer, EventMessage } from './handler.ts'
import type { Logger } from './log.ts'
import { isUnavailable } from './respond.ts'
import type { Closer } from './shutdown.ts'
import { onlyOne, type Holding } from './single-holder.ts'
import { statement } from './statement.ts'
import { continueTrace } from './trace.ts'
import { actingFor, runInTransaction } from './transaction.ts'

interface Consumption {
  consumer: Consumer
  database: Database
  jetstream: JetStreamClient
  manager: JetStreamManager
  log: Logger
  ackWaitMs: number
}

const batchSize = 100
const fetchExpiresMs = 2_000
/** Waits between the tries of a message that fails by itself; after the last it becomes a dead letter. */
const retryAfterMs = [50, 250, 1_000, 3_000, 10_000]
const unavailableRetryMs = 1_000

const enterInbox = `insert into inbox_messages (consumer, message_id) values (:consumer, :id) on conflict do nothing returning 1`
const bury = statement(
  'inbox.bury',
  `insert into dead_letters (consumer, message_id, subject, headers, payload, reason) values (:consumer, :id, :subject, :headers, :payload, :reason)`,
)

/**
 * Pulls and handles the messages of one durable, one at a time and in order, at one replica at a time. A message that fails
 * is tried again here before the next is touched, so order holds; one that never works becomes a dead letter, so it blocks
 * the others for seconds, not for ever. While the database is away nothing is acknowledged and nothing is buried.
 */
export function startConsumer(consumption: Consumption): Closer {
  const { consumer, database, log } = consumption
  const { durable } = consumer.subscription
  const alarm = createAlarm()
  let fetching: ConsumerMessages | null = null
  const holder = onlyOne({
    url: database.url,
    name: `consumer ${durable}`,
    log,
    async work(holding) {
      await ensureDurable(consumption)
      const source = await consumption.jetstream.consumers.get(eventStream.name, durable)
      while (holding.held()) {
        fetching = await source.fetch({ max_messages: batchSize, expires: fetchExpiresMs })
        // Leaving this loop early is not safe in the client library: it is ended by `stop`, or by the fetch running out.
        for await (const message of fetching) {
          if (holding.held()) await handleInOrder(consumption, { message, holding, wait: alarm.wait })
        }
      }
    },
  })
  return {
    name: durable,
    async close() {
      const closed = holder.close()
      alarm.ring()
      fetching?.stop()
      await closed
    },
  }
}

async function ensureDurable({ manager, consumer, ackWaitMs }: Consumption): Promise<void> {
  const { durable, subject } = consumer.subscription
  try {
    await manager.consumers.info(eventStream.name, durable)
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== 10014) throw error
    await manager.consumers.add(eventStream.name, {
      durable_name: durable,
      filter_subject: subject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: 1000,
    })
  }
}

interface Turn {
  message: JsMsg
  holding: Holding
  wait(ms: number): Promise<void>
}

async function handleInOrder(consumption: Consumption, { message, holding, wait }: Turn): Promise<void> {
  const { consumer, log } = consumption
  for (let attempt = 0; holding.held();) {
    try {
      await handle(consumption, message)
      message.ack()
      return
    } catch (error) {
      message.working()
      const fields = { err: error, consumer: consumer.subscription.durable, subject: message.subject }
      if (isUnavailable(error)) {
        log.warn(fields, 'consumer.database-away')
        await wait(unavailableRetryMs)
        continue
      }
      const delay = retryAfterMs[attempt++]
      log[delay === undefined ? 'error' : 'warn']({ ...fields, attempt }, delay === undefined ? 'consumer.dead-letter' : 'consumer.failed')
      if (delay === undefined) return buryMessage(consumption, { message, reason: String(error) })
      await wait(delay)
    }
  }
}

async function handle({ consumer, database, log }: Consumption, message: JsMsg): Promise<void> {
  const event = consumer.events.find((candidate) => candidate.subject === message.subject)
  if (!event) return
  const received = read(message, event)
  const caller: Caller = received.organizationId ? actingFor(received.organizationId) : { kind: 'anonymous' }
  const unit = { now: new Date(), log, traceparent: continueTrace(message.headers?.get(headers.traceparent) || undefined) }
  await runInTransaction(database, { caller, unit }, async (transaction) => {
    const entered = await transaction.rows('inbox.enter', enterInbox, { consumer: consumer.subscription.durable, id: received.id })
    if (entered.length > 0) await consumer.run(received, transaction)
  })
}

function read(message: JsMsg, event: Event): EventMessage {
  const payloadText = message.string()
  return {
    id: demand(message.headers?.get('Nats-Msg-Id'), 'Nats-Msg-Id'),
    event,
    payload: JSON.parse(payloadText),
    payloadText,
    aggregateId: demand(message.headers?.get(headers.aggregate), headers.aggregate),
    organizationId: message.headers?.get(headers.organization) || null,
    occurredAt: new Date(demand(message.headers?.get(headers.occurredAt), headers.occurredAt)),
  }
}

function demand(value: string | undefined, header: string): string {
  if (!value) throw new Error(`The message has no ${header} header`)
  return value
}

async function buryMessage({ database, consumer }: Consumption, { message, reason }: { message: JsMsg; reason: string }): Promise<void> {
  const carried = Object.fromEntries([...(message.headers?.keys() ?? [])].map((key) => [key, message.headers?.get(key)]))
  const id = message.headers?.get('Nats-Msg-Id') || null
  await database.execute(bury, [consumer.subscription.durable, id, message.subject, carried, Buffer.from(message.data), reason])
  message.term()
}
