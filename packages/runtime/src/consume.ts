import type { Event } from '@quittance/contracts/event'
import { headers } from '@quittance/contracts/headers'
import type { ConsumerMessages, JetStreamClient, JetStreamManager, JsMsg, Consumer as Source } from 'nats'
import type { Caller } from '@quittance/contracts/caller'
import { setTimeout as pause } from 'node:timers/promises'
import { createAlarm } from './alarm.ts'
import type { Database } from './database.ts'
import { openDurable, takeOverDurable } from './durable.ts'
import type { Consumer, EventMessage } from './handler.ts'
import { countOf, gaugeOf } from './health.ts'
import type { Logger } from './log.ts'
import { isUnavailable } from './respond.ts'
import type { Closer } from './shutdown.ts'
import { onlyOne, type Holding } from './single-holder.ts'
import { statement } from './statement.ts'
import { startSpan, traced, type Span } from './trace.ts'
import { actingFor, rowsWith, runInTransaction } from './transaction.ts'

interface Consumption {
  consumer: Consumer
  database: Database
  jetstream: JetStreamClient
  manager: JetStreamManager
  log: Logger
  ackWaitMs: number
}

const fetchSize = 100
const fetchExpiresMs = 2_000
const reopenAfterMs = 5_000
/** How long the first message of a batch waits for others. */
const gatherMs = 10
/** Waits between the tries of a message that fails by itself; after the last it becomes a dead letter. */
const retryAfterMs = [50, 250, 1_000, 3_000, 10_000]
const unavailableRetryMs = 1_000

const enterInbox = `insert into inbox_messages (consumer, message_id)
  select :consumer, id from unnest(:ids::uuid[]) as told (id) on conflict do nothing returning message_id`
const bury = statement(
  'inbox.bury',
  `insert into dead_letters (consumer, message_id, subject, headers, payload, reason) values (:consumer, :id, :subject, :headers, :payload, :reason)`,
)

const duplicates = countOf('inbox_duplicates_total', 'Messages that had been handled before, by consumer.', ['consumer'])

/** A message that no try will make readable. */
class Unreadable extends Error {}

/**
 * Pulls and handles the messages of one durable in order, at one replica at a time. A message that fails is tried again here before
 * the next is touched, so order holds; one that never works becomes a dead letter, so it blocks the others for seconds, not for
 * ever. While the database is away nothing is acknowledged and nothing is buried.
 */
export function startConsumer(consumption: Consumption): Closer {
  const { consumer, database, log } = consumption
  const { subscription } = consumer
  const { durable } = subscription
  const source = { ...consumption, subscription }
  const alarm = createAlarm()
  const usual = Math.max(fetchSize, 2 * consumer.most)
  let fetching: ConsumerMessages | null = null
  let pending = 0
  pendingOf.set(durable, () => pending)
  const holder = onlyOne({
    url: database.url,
    name: `consumer ${durable}`,
    log,
    async work(holding) {
      let opened = await positionOf(await takeOverDurable(source))
      let openedAt = performance.now()
      let seen = -1
      let most = usual
      while (holding.held()) {
        // Somebody may have deleted it. Seldom, and in silence only: for one with a filter the server reads the whole stream to tell.
        if (seen === 0 && performance.now() - openedAt > reopenAfterMs) {
          opened = await positionOf(await openDurable(source))
          openedAt = performance.now()
        }
        seen = 0
        fetching = await opened.source.fetch({ max_messages: most, expires: fetchExpiresMs })
        const handle = batcher(consumer.most, async (messages) => {
          if (!holding.held()) return
          await handleInOrder(consumption, { messages, holding, wait: alarm.wait })
          pending = messages.at(-1)?.info.pending ?? 0
        })
        // Leaving this loop early is not safe in the client library: it is ended by `stop`, or by the fetch running out.
        for await (const message of fetching) {
          seen += 1
          if (isNext(opened, message)) await handle.add(message)
          else fetching.stop()
        }
        await handle.end()
        // A burst of long ones may be more than the server keeps for one connection, which it then closes.
        most = opened.isWhole ? Math.min(2 * most, usual) : Math.ceil(most / 4)
        if (!opened.isWhole) opened = await positionOf(await takeOverDurable(source))
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

const pendingOf = new Map<string, () => number>()
gaugeOf('consumer_pending_messages', 'Messages of the stream that a consumer has not seen yet, as of its last one.', {
  labels: ['consumer'],
  collect(gauge) {
    for (const [consumer, pending] of pendingOf) gauge.set({ consumer }, pending())
  },
})

interface Position {
  source: Source
  /** Of the last delivery; they are counted from 1. */
  delivered: number
  /** False once a delivery is missing. */
  isWhole: boolean
}

async function positionOf(source: Source): Promise<Position> {
  return { source, delivered: (await source.info(true)).delivered.consumer_seq, isWhole: true }
}

/**
 * Whether nothing is missing before a message. What was still on its way when a fetch ended would be handed out again behind younger ones,
 * so that where one is missing the durable goes on from there.
 */
function isNext(position: Position, { info: { deliverySequence } }: JsMsg): boolean {
  // One that was made anew begins at 1.
  position.isWhole &&= deliverySequence === position.delivered + 1 || deliverySequence === 1
  position.delivered = deliverySequence
  return position.isWhole
}

/** Hands on what has come in while the last batch was handled, in its order. */
function batcher(most: number, handle: (messages: readonly JsMsg[]) => Promise<void>) {
  let waiting: JsMsg[] = []
  let working: Promise<void> | null = null
  async function work(): Promise<void> {
    // What was told together comes in over a few packets.
    if (most > 1) await pause(gatherMs)
    while (waiting.length > 0) await handle(waiting.splice(0, most))
    working = null
  }
  return {
    /** Waits while more than a batch is waiting. */
    async add(message: JsMsg): Promise<void> {
      waiting.push(message)
      working ??= work()
      if (waiting.length >= most) await working
    },
    async end(): Promise<void> {
      await working
    },
  }
}

interface Turn {
  messages: readonly JsMsg[]
  holding: Holding
  wait(ms: number): Promise<void>
}

async function handleInOrder(consumption: Consumption, { messages, holding, wait }: Turn): Promise<void> {
  const { consumer, log } = consumption
  const [message] = messages as [JsMsg, ...JsMsg[]]
  for (let attempt = 0; holding.held();) {
    try {
      await handle(consumption, messages)
      messages.at(-1)?.ack()
      return
    } catch (error) {
      for (const each of messages) each.working()
      const trace_id = message.headers?.get(headers.traceparent).slice(3, 35) || undefined
      const fields = { err: error, consumer: consumer.subscription.durable, subject: message.subject, trace_id }
      if (isUnavailable(error)) {
        log.warn(fields, 'consumer.database-away')
        await wait(unavailableRetryMs)
        continue
      }
      if (messages.length > 1) {
        for (const each of messages) await handleInOrder(consumption, { messages: [each], holding, wait })
        return
      }
      const delay = error instanceof Unreadable ? undefined : retryAfterMs[attempt++]
      log[delay === undefined ? 'error' : 'warn']({ ...fields, attempt }, delay === undefined ? 'consumer.dead-letter' : 'consumer.failed')
      if (delay === undefined) return buryMessage(consumption, { message, reason: String(error) })
      await wait(delay)
    }
  }
}

async function handle({ consumer, database, log }: Consumption, messages: readonly JsMsg[]): Promise<void> {
  const { durable } = consumer.subscription
  const heard = messages.flatMap((message) => read(message, consumer.events) ?? [])
  const concerning = heard.length > 0 && consumer.concerning ? await consumer.concerning(heard, rowsWith(database.execute)) : heard
  const spans: Span[] = []
  for (const event of concerning) {
    const span = startSpan(durable, 'consumer', event.traceparent)
    spans.push(span)
    event.traceparent = span.traceparent
  }
  const [first] = concerning
  if (!first) return
  const isBound = consumer.most === 1 && first.organizationId
  const caller: Caller = isBound ? actingFor(isBound) : { kind: 'anonymous' }
  const { traceparent } = first
  const unit = { now: new Date(), log: log.child({ trace_id: traceparent.slice(3, 35) }), traceparent }
  const ids = concerning.map(({ id }) => id)
  const entered = await traced(spans, () =>
    runInTransaction(database, { caller, unit }, async (transaction) => {
      const rows = await transaction.rows<{ message_id: string }>('inbox.enter', enterInbox, { consumer: durable, ids })
      const fresh = new Set(rows.map(({ message_id }) => message_id))
      // Deleted as it is found: a message that comes twice in one batch is handled once.
      const unheard = concerning.filter(({ id }) => fresh.delete(id))
      if (unheard.length > 0) await consumer.run(unheard, transaction)
      return unheard.length
    }),
  )
  if (entered < concerning.length) duplicates.inc({ consumer: durable }, concerning.length - entered)
}

/** Null for an event that the consumer does not listen to. */
function read(message: JsMsg, events: readonly Event[]): EventMessage | null {
  const event = events.find((candidate) => candidate.subject === message.subject)
  if (!event) return null
  const payloadText = message.string()
  let payload: unknown
  return {
    id: demand(message, { header: 'Nats-Msg-Id', isRight: isUuid }),
    event,
    // Most of what is heard concerns nobody, and is not read.
    get payload() {
      return (payload ??= parse(payloadText)) as never
    },
    payloadText,
    aggregateId: demand(message, { header: headers.aggregate, isRight: isUuid }),
    organizationId: message.headers?.get(headers.organization) || null,
    traceparent: message.headers?.get(headers.traceparent) ?? '',
    occurredAt: new Date(demand(message, { header: headers.occurredAt, isRight: (value) => !Number.isNaN(Date.parse(value)) })),
  }
}

function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Unreadable('The message is not JSON', { cause: error })
  }
}

const isUuid = (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)

function demand(message: JsMsg, { header, isRight }: { header: string; isRight(value: string): boolean }): string {
  const value = message.headers?.get(header)
  if (!value || !isRight(value)) throw new Unreadable(`The message has no readable ${header} header`)
  return value
}

async function buryMessage({ database, consumer }: Consumption, { message, reason }: { message: JsMsg; reason: string }): Promise<void> {
  const carried = Object.fromEntries([...(message.headers?.keys() ?? [])].map((key) => [key, message.headers?.get(key)]))
  const id = message.headers?.get('Nats-Msg-Id') || null
  await database.execute(bury, [consumer.subscription.durable, id, message.subject, carried, Buffer.from(message.data), reason])
  message.term()
}
