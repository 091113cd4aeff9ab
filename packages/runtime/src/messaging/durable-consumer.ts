import { eventStream, resetSubject, type DurableConsumer } from '@quittance/contracts/streams'
import { setTimeout as delay } from 'node:timers/promises'
import {
  AckPolicy,
  headers,
  NatsError,
  type Consumer,
  type ConsumerInfo,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from 'nats'
import type { Logger } from '../process/logger.ts'
import { muxRequest } from '../nats/mux-inbox.ts'
import type { HandledEvent } from './consumer-position.ts'
import { findMissingEvents, type PublishedEvent } from './verify-events.ts'

/** A durable consumer of the stream, as its owner uses it. Only the provisioner may create and change it. */
export interface DurableOptions {
  connection: NatsConnection
  jetstream: JetStreamClient
  manager: JetStreamManager
  subscription: DurableConsumer
  log: Logger
  /** False once the consumer is no longer needed. */
  isNeeded(): boolean
}

const resetTimeoutMs = 5_000
const retryResetAfterMs = 500
/** Time for which a consumer waits after a reconnect for a provisioner that does not reply. */
const awaitProvisionerMs = 10_000

/**
 * Returns the consumer. A missing one is created, and one that is ahead of its stream is reset: it starts at the beginning of the stream,
 * and the inbox skips messages handled before.
 */
export async function getOrCreateDurable(durable: DurableOptions): Promise<Consumer> {
  const info = await readConsumerInfo(durable)
  if (!info || (await isAhead(durable, info))) await resetDurable(durable)
  return durable.jetstream.consumers.get(eventStream.name, durable.subscription.durable)
}

/**
 * Returns the consumer for a replica that takes over. Messages that the previous replica had pulled but not acknowledged would be
 * redelivered only after the acknowledgement timeout, behind newer ones. The consumer is therefore reset to its ack floor, which preserves
 * the order of the stream. `lastHandled` shows whether the stream went back behind the consumer.
 */
export async function recreateDurable(durable: DurableOptions, lastHandled: HandledEvent | null = null): Promise<Consumer> {
  const info = await readConsumerInfo(durable)
  // A consumer of an earlier release acknowledges each message individually, which an update cannot change.
  const isUnsettled = !info || info.num_ack_pending > 0 || info.config.ack_policy !== AckPolicy.All
  if (lastHandled && (await isLost(durable, lastHandled))) await resetDurable(durable, lastHandled.storedAt)
  else if (isUnsettled) await resetDurable(durable)
  return getOrCreateDurable(durable)
}

/**
 * Whether the stream has lost an event that the consumer has handled. The consumer may then be behind numbers that other events have now, and
 * skip them. It starts again at the time of the lost event: what the stream still has from before was handled, everything else was stored later.
 */
async function isLost({ connection, subscription, log, isNeeded }: DurableOptions, event: PublishedEvent): Promise<boolean> {
  for (const start = performance.now(); ; await delay(retryResetAfterMs)) {
    try {
      return (await findMissingEvents(connection, [event])).length > 0
    } catch (error) {
      if (isNeeded() && performance.now() - start < awaitProvisionerMs) continue
      log.warn({ err: error, consumer: subscription.durable }, 'consumer.not-compared')
      return false
    }
  }
}

/** Requests the reset until it succeeds: without it events would be handled out of order. */
async function resetDurable({ connection, subscription, log, isNeeded }: DurableOptions, since?: Date): Promise<void> {
  const { durable } = subscription
  while (isNeeded()) {
    try {
      const request = {
        subject: resetSubject(durable),
        body: Buffer.from(since?.toISOString() ?? ''),
        headers: headers(),
        timeoutMs: resetTimeoutMs,
      }
      const reply = await muxRequest(connection, request)
      const failure = reply.headers?.get('Nats-Service-Error')
      if (!failure) return
      log.warn({ consumer: durable, reason: failure }, 'consumer.reset-failed')
    } catch (error) {
      log.warn({ err: error, consumer: durable }, 'consumer.reset-failed')
    }
    await delay(retryResetAfterMs)
  }
}

/** After the loss of a tail a consumer may be ahead: it would skip the next events. */
async function isAhead({ manager }: DurableOptions, { delivered, ack_floor }: ConsumerInfo): Promise<boolean> {
  const { state } = await manager.streams.info(eventStream.name)
  return Math.max(delivered.stream_seq, ack_floor.stream_seq) > state.last_seq
}

async function readConsumerInfo({ manager, subscription }: DurableOptions) {
  try {
    return await manager.consumers.info(eventStream.name, subscription.durable)
  } catch (error) {
    if (!(error instanceof NatsError) || !missingCodes.has(error.api_error?.err_code ?? 0)) throw error
    return null
  }
}

/** Error codes of the server for a missing consumer and a missing stream. */
const missingCodes = new Set([10014, 10059])
