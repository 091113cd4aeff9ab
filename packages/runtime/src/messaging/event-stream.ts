import { setTimeout as delay } from 'node:timers/promises'
import { eventStream, type DurableConsumer } from '@quittance/contracts/streams'
import { AckPolicy, DeliverPolicy, nanos, NatsError, RetentionPolicy, StorageType, type JetStreamManager } from 'nats'

/** Maximum wait for a cluster that has not elected a leader yet. */
const electionTimeoutMs = 60_000
const electionRetryMs = 500

/**
 * Creates the event stream, or raises the number of its replicas; lowering it is an operator's decision. May run concurrently in several
 * processes. Waits for a cluster that is still starting.
 */
export async function ensureStream(manager: JetStreamManager, replicas = 1): Promise<void> {
  for (const start = Date.now(); ; await delay(electionRetryMs)) {
    try {
      return await createOrRaise(manager, replicas)
    } catch (error) {
      if (!isElecting(error) || Date.now() - start > electionTimeoutMs) throw error
    }
  }
}

async function createOrRaise({ streams }: JetStreamManager, replicas: number): Promise<void> {
  try {
    const { config } = await streams.info(eventStream.name)
    if (config.num_replicas < replicas) await streams.update(eventStream.name, { ...config, num_replicas: replicas })
  } catch (error) {
    if (readErrorCode(error) !== streamNotFound) throw error
    const config = {
      name: eventStream.name,
      subjects: [...eventStream.subjects],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: nanos(eventStream.maxAgeMs),
      duplicate_window: nanos(eventStream.duplicateWindowMs),
      num_replicas: replicas,
    }
    await streams.add(config).catch(ignore(new Set([streamNameInUse])))
  }
}

/** Error codes of the server (`server/errors.json` in nats-server). */
const streamNotFound = 10059
const streamNameInUse = 10058
const noSuitablePeers = 10005
const consumerNotFound = 10014
const consumerExists = new Set([10013, 10148])

/** Without a leader there is no reply for JetStream, which the client library reports as "not enabled". */
function isElecting(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false
  return error.code === '503' || error.code === 'TIMEOUT' || error.api_error?.code === 503 || readErrorCode(error) === noSuitablePeers
}

function readErrorCode(error: unknown): number | undefined {
  return error instanceof NatsError ? error.api_error?.err_code : undefined
}

function ignore(codes: ReadonlySet<number>) {
  return (error: unknown): void => {
    if (!codes.has(readErrorCode(error) ?? 0)) throw error
  }
}

export interface DurableOptions {
  subscription: DurableConsumer
  /** Milliseconds after which the server redelivers an unacknowledged message. */
  ackWaitMs: number
}

/** Creates a missing durable consumer, starting at the beginning of the stream. An existing one is not changed. */
export async function ensureDurable(manager: JetStreamManager, options: DurableOptions): Promise<void> {
  if (await readAckFloor(manager, options.subscription)) return
  await addDurable(manager, options).catch(ignore(consumerExists))
}

const maxResets = 5

/**
 * Recreates a durable consumer at a time, or after its ack floor, or at the beginning of a stream that went back behind it. If the process is killed between the two steps, the next call creates it from the
 * beginning of the stream.
 */
export async function resetDurable(manager: JetStreamManager, { since, ...options }: DurableOptions & { since?: Date }): Promise<void> {
  const floor = await readAckFloor(manager, options.subscription)
  const { state } = await manager.streams.info(eventStream.name)
  const next = floor && floor.stream_seq <= state.last_seq ? floor.stream_seq + 1 : undefined
  const from = since ?? next
  for (let attempt = 1; ; attempt++) {
    await manager.consumers.delete(eventStream.name, options.subscription.durable).catch(ignore(new Set([consumerNotFound])))
    try {
      return await addDurable(manager, options, from)
    } catch (error) {
      // Another process created it between the two steps.
      if (attempt === maxResets) throw error
      ignore(consumerExists)(error)
    }
  }
}

async function readAckFloor(manager: JetStreamManager, { durable }: DurableConsumer): Promise<{ stream_seq: number } | null> {
  try {
    return (await manager.consumers.info(eventStream.name, durable)).ack_floor
  } catch (error) {
    if (readErrorCode(error) !== consumerNotFound) throw error
    return null
  }
}

async function addDurable(manager: JetStreamManager, { subscription, ackWaitMs }: DurableOptions, from?: number | Date): Promise<void> {
  await manager.consumers.add(eventStream.name, {
    durable_name: subscription.durable,
    filter_subject: subscription.subject,
    // Messages are handled in order, so acknowledging the last one of a batch acknowledges all.
    ack_policy: AckPolicy.All,
    ...startPolicy(from),
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 1000,
  })
}

function startPolicy(from: number | Date | undefined) {
  if (from instanceof Date) return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.toISOString() }
  return from ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from } : { deliver_policy: DeliverPolicy.All }
}
