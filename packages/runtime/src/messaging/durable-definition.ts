import { eventStream, type DurableConsumer } from '@quittance/contracts/streams'
import { AckPolicy, DeliverPolicy, nanos, type ConsumerConfig, type ConsumerInfo, type JetStreamManager } from 'nats'
import { ignore, readErrorCode } from './event-stream.ts'

/** Error codes of the server (`server/errors.json` in nats-server). */
const consumerNotFound = 10014
/** 10012: the server tried to change the existing consumer, whose start cannot change. */
const consumerExists = new Set([10012, 10013, 10148])

export interface DurableOptions {
  subscription: DurableConsumer
  /** Milliseconds after which the server redelivers an unacknowledged message. */
  ackWaitMs: number
}

type DurableConfig = Partial<ConsumerConfig> & { durable_name: string }

/** Creates a missing durable consumer, starting at the beginning of the stream. An existing one gets the time limit of acknowledgements. */
export async function ensureDurable(manager: JetStreamManager, options: DurableOptions): Promise<void> {
  const existing = await readConsumerInfo(manager, options.subscription)
  if (existing) {
    await setAckWait(manager, existing, options.ackWaitMs)
    return
  }
  await manager.consumers.add(eventStream.name, buildConfig(options)).catch(async (error: unknown) => {
    // Another process may have created it since.
    if (!(await readConsumerInfo(manager, options.subscription))) throw error
  })
}

async function setAckWait(manager: JetStreamManager, { name, config }: ConsumerInfo, ackWaitMs: number): Promise<void> {
  const wait = nanos(ackWaitMs)
  if (config.ack_wait !== wait) await manager.consumers.update(eventStream.name, name, { ack_wait: wait })
}

/**
 * Recreates a durable consumer at a time, or after its ack floor, or at the beginning of a stream that went back behind it. If the process
 * is killed between the two steps, the next call creates it from the beginning of the stream.
 */
export async function resetDurable(manager: JetStreamManager, { since, ...options }: DurableOptions & { since?: Date }): Promise<void> {
  const floor = (await readConsumerInfo(manager, options.subscription))?.ack_floor
  const { state } = await manager.streams.info(eventStream.name)
  const next = floor && floor.stream_seq <= state.last_seq ? floor.stream_seq + 1 : undefined
  await recreateDurable(manager, buildConfig(options, since ?? next))
}

const maxResets = 5

/** Deletes a durable consumer and creates it with this configuration, also if others create it between the two steps. */
export async function recreateDurable(manager: JetStreamManager, config: DurableConfig): Promise<ConsumerInfo> {
  for (let attempt = 1; ; attempt++) {
    await manager.consumers.delete(eventStream.name, config.durable_name).catch(ignore(new Set([consumerNotFound])))
    try {
      return await manager.consumers.add(eventStream.name, config)
    } catch (error) {
      if (attempt === maxResets) throw error
      ignore(consumerExists)(error)
    }
  }
}

async function readConsumerInfo(manager: JetStreamManager, { durable }: DurableConsumer): Promise<ConsumerInfo | null> {
  try {
    return await manager.consumers.info(eventStream.name, durable)
  } catch (error) {
    if (readErrorCode(error) !== consumerNotFound) throw error
    return null
  }
}

function buildConfig({ subscription, ackWaitMs }: DurableOptions, from?: number | Date): DurableConfig {
  return {
    durable_name: subscription.durable,
    filter_subject: subscription.subject,
    // Messages are handled in order, so acknowledging the last one of a batch acknowledges all.
    ack_policy: AckPolicy.All,
    ...startPolicy(from),
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 1000,
  }
}

function startPolicy(from: number | Date | undefined) {
  if (from instanceof Date) return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: from.toISOString() }
  return from ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from } : { deliver_policy: DeliverPolicy.All }
}
