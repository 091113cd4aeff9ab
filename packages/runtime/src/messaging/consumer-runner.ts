import type { ConsumerMessages, JsMsg, Consumer as Source } from 'nats'
import { setTimeout as pause } from 'node:timers/promises'
import { createWakeSignal } from '../jobs/wake-signal.ts'
import { createPositionStore, toHandled, type HandledEvent } from './consumer-position.ts'
import { createDelayedAcks, type DelayedAcks } from './delayed-acks.ts'
import { getOrCreateDurable, recreateDurable } from './durable-consumer.ts'
import { countInterruptions, isDisconnected, onInterruption } from '../nats/nats-connection.ts'
import type { Closeable } from '../process/shutdown.ts'
import { gauge } from '../process/metrics.ts'
import { runAsLeader, type Leadership } from '../jobs/leader-election.ts'
import type { LeaderSession } from '../jobs/leader-session.ts'
import type { IncomingMessage } from './incoming-event.ts'
import { handle, handleInOrder, type ConsumerOptions } from './handle-messages.ts'
import { ParkedMessages } from './parked-messages.ts'

const fetchSize = 100
/** A pull that is replaced and a check each cost requests to the server, also while nothing is published. */
const fetchExpiresMs = 10_000
const reopenAfterMs = 30_000
/** Interval of checks whether the connection is back. */
const reconnectPollMs = 50
/** Time for which the first message of a batch waits for others: of public events, which endpoints wait for, and of copies. */
const gatherMs = { events: 10, copies: 50 }

/**
 * Pulls and handles the messages of one durable, on one replica at a time, in order within an organization. A message that fails is parked with
 * the later ones of its organization, and retried beside the others; after the last attempt it becomes a dead letter. While the database is
 * unavailable, messages are neither acknowledged nor dead-lettered.
 */
export function startConsumer({ leaderSession, ...options }: ConsumerOptions & { leaderSession: LeaderSession }): Closeable {
  const { consumer, log } = options
  const { durable } = consumer.subscription
  const { wake, wait } = createWakeSignal()
  const state: ConsumerState = { fetching: null, pending: 0, lastHandled: null, wait }
  pendingByConsumer.set(durable, () => state.pending)
  const election = runAsLeader({
    session: leaderSession,
    name: `consumer ${durable}`,
    log,
    async work(leadership, stopped) {
      const { maxBatchSize } = consumer
      const parking = { ...options, durable, maxBatchSize, handle: (messages: readonly IncomingMessage[]) => handle(options, messages) }
      const parked = await ParkedMessages.open(parking, leadership)
      const retrying = parked.retryWhileLeader(leadership)
      const positions = createPositionStore(leadership.execute, durable)
      // Another replica may have come further than this one in an earlier leadership.
      state.lastHandled = (await positions.read()) ?? state.lastHandled
      const mayAcknowledge = () => leadership.isLeader() || stopped()
      const acks = createDelayedAcks({ ...options, positions, mayAcknowledge })
      const stopFetching = () => state.fetching?.stop()
      leadership.ended.addEventListener('abort', stopFetching)
      const stopListening = onInterruption(options.connection, stopFetching)
      try {
        await consumeWhileLeader(options, { leadership, parked, acks, state })
      } finally {
        stopListening()
        // Another replica receives the next ones: the last count here would stay, and exceed those of the leader.
        state.pending = 0
        await acks.flush()
        parked.stop()
        await retrying
      }
    },
  })
  return {
    name: durable,
    async close() {
      const closed = election.close()
      wake()
      await closed
    },
  }
}

interface ConsumerState {
  fetching: ConsumerMessages | null
  /** Messages that were in the stream behind the last one received. */
  pending: number
  lastHandled: HandledEvent | null
  /** Waits until the time has passed or the consumer is closed. */
  wait(ms: number): Promise<void>
}

interface Turn {
  leadership: Leadership
  parked: ParkedMessages
  acks: DelayedAcks
  state: ConsumerState
}

async function consumeWhileLeader(options: ConsumerOptions, turn: Turn): Promise<void> {
  const { leadership, parked, acks, state } = turn
  const { subscription, maxBatchSize, isScoped } = options.consumer
  const source = { ...options, subscription, isNeeded: () => leadership.isLeader() }
  const defaultFetchSize = Math.max(fetchSize, 2 * maxBatchSize)
  await awaitConnection(options, turn)
  let interruptions = countInterruptions(options.connection)
  /** After a reconnect nothing is handled before the consumer is compared with the stream, which may have gone back. */
  const isInterrupted = () => interruptions !== countInterruptions(options.connection)
  let opened = await streamPosition(await recreateDurable(source, state.lastHandled))
  let openedAt = performance.now()
  let received = -1
  let maxMessages = defaultFetchSize
  await using batches = createBatches({
    maxMessages: maxBatchSize,
    waitMs: isScoped ? gatherMs.copies : gatherMs.events,
    async handle(messages) {
      if (!leadership.isLeader() || isInterrupted()) return
      if (!(await handleInOrder(options, { messages, interruptions, leadership, parked, acks, wait: state.wait }))) return
      state.pending = messages.at(-1)?.info.pending ?? 0
      state.lastHandled = toHandled(messages.at(-1) as JsMsg) ?? state.lastHandled
    },
    fail: () => state.fetching?.stop(),
  })
  while (leadership.isLeader()) {
    // The consumer may have been deleted. Checked rarely and only while idle: for a filtered consumer the server scans the whole stream.
    if (received === 0 && performance.now() - openedAt > reopenAfterMs) {
      opened = await streamPosition(await getOrCreateDurable(source))
      openedAt = performance.now()
    }
    if (isInterrupted()) {
      await batches.handled()
      await awaitConnection(options, turn)
      interruptions = countInterruptions(options.connection)
      opened = await streamPosition(await recreateDurable(source, state.lastHandled))
    }
    received = 0
    const fetching = await opened.source.fetch({ max_messages: maxMessages, expires: fetchExpiresMs })
    state.fetching = fetching
    // What ended while the fetch was created found none to stop.
    if (!leadership.isLeader() || isInterrupted() || batches.hasFailed()) fetching.stop()
    // Leaving this loop early is not safe in the client library: it ends by `stop` or when the fetch expires.
    for await (const message of fetching) {
      received += 1
      if (!isInterrupted() && isNext(opened, message)) await batches.add(message)
      else fetching.stop()
    }
    // A burst of large messages may exceed the server's buffer for one connection; the server then closes it.
    maxMessages = opened.isWhole ? Math.min(2 * maxMessages, defaultFetchSize) : Math.ceil(maxMessages / 4)
    // The next messages are fetched while the last ones are handled.
    if (opened.isWhole && !batches.hasFailed()) continue
    await batches.handled()
    await acks.flush()
    opened = await streamPosition(await recreateDurable(source))
  }
  await batches.handled()
}

/** A request that is sent while the connection is interrupted is lost, and its timeout would delay the consumer by seconds. */
async function awaitConnection({ connection }: ConsumerOptions, { leadership, state }: Turn): Promise<void> {
  while (leadership.isLeader() && isDisconnected(connection)) await state.wait(reconnectPollMs)
}

const pendingByConsumer = new Map<string, () => number>()
gauge('consumer_pending_messages', 'Messages of the stream that a consumer has not received yet, as of its last message.', {
  labels: ['consumer'],
  collect(gauge) {
    for (const [consumer, pending] of pendingByConsumer) gauge.set({ consumer }, pending())
  },
})

interface Position {
  source: Source
  /** Sequence number of the last delivery, starting at 1. */
  delivered: number
  /** False after a delivery is missing. */
  isWhole: boolean
}

async function streamPosition(source: Source): Promise<Position> {
  return { source, delivered: (await source.info(true)).delivered.consumer_seq, isWhole: true }
}

/**
 * Whether no delivery is missing before a message. Messages in flight when a fetch ended would be redelivered behind newer ones, so if one
 * is missing the durable is recreated from there.
 */
function isNext(position: Position, { info: { deliverySequence } }: JsMsg): boolean {
  // A recreated durable starts at 1.
  position.isWhole &&= deliverySequence === position.delivered + 1 || deliverySequence === 1
  position.delivered = deliverySequence
  return position.isWhole
}

interface Batching {
  maxMessages: number
  /** Time for which the first message of a batch waits for others. */
  waitMs: number
  handle(messages: readonly JsMsg[]): Promise<void>
  /** Called when a batch fails: no later one is handled. */
  fail(): void
}

interface Batches extends AsyncDisposable {
  /** Queues a message. While the queue is full, waits until the batch before is handled, or failed. */
  add(message: JsMsg): Promise<void>
  hasFailed(): boolean
  /** Waits until all queued messages are handled. Throws the error of a failed batch. */
  handled(): Promise<void>
}

/** Handles one batch at a time, in order: the messages that were queued while the batch before was handled. */
function createBatches({ maxMessages, waitMs, handle, fail }: Batching): Batches {
  const waiting: JsMsg[] = []
  let working: Promise<void> | null = null
  let isFailed = false
  let full = Promise.withResolvers<void>()
  let taken = Promise.withResolvers<void>()
  async function work(): Promise<void> {
    full = Promise.withResolvers<void>()
    // Events published together arrive in several packets.
    if (maxMessages > 1) await Promise.race([pause(waitMs), full.promise])
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxMessages)
      taken.resolve()
      await handle(batch)
    }
    working = null
  }
  function start(): Promise<void> {
    const run = work()
    run.catch(() => {
      isFailed = true
      taken.resolve()
      fail()
    })
    return run
  }
  return {
    async add(message) {
      waiting.push(message)
      working ??= start()
      if (waiting.length < maxMessages) return
      taken = Promise.withResolvers<void>()
      full.resolve()
      if (!isFailed) await taken.promise
    },
    hasFailed: () => isFailed,
    async handled() {
      await working
    },
    async [Symbol.asyncDispose]() {
      await working?.catch(() => {})
    },
  }
}
