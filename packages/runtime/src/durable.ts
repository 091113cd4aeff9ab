import { eventStream, type Subscription } from '@quittance/contracts/streams'
import { AckPolicy, DeliverPolicy, nanos, NatsError, type Consumer, type JetStreamClient, type JetStreamManager } from 'nats'

/** A durable consumer of the stream, as this service wants it. */
export interface Durable {
  jetstream: JetStreamClient
  manager: JetStreamManager
  subscription: Subscription
  /** Milliseconds after which the server hands out again what nobody acknowledged. */
  ackWaitMs: number
}

/** The consumer, made if it is missing: it hears the stream from its beginning, and the inbox knows what was handled before. */
export async function openDurable(durable: Durable): Promise<Consumer> {
  if (!(await infoOf(durable))) await addDurable(durable)
  return durable.jetstream.consumers.get(eventStream.name, durable.subscription.durable)
}

/**
 * The same for who takes over. What the one before had in its hands would come again only after `ackWaitMs`, behind everything younger:
 * the consumer is made anew behind the last message of which all before are acknowledged, so the stream's order holds. Killed between the two
 * steps, the next one makes it from the beginning.
 */
export async function takeOverDurable(durable: Durable): Promise<Consumer> {
  const info = await infoOf(durable)
  // One of an earlier version acknowledges each message for itself, which no update can change.
  if (info && (info.num_ack_pending > 0 || info.config.ack_policy !== AckPolicy.All)) {
    await durable.manager.consumers.delete(eventStream.name, durable.subscription.durable)
    await addDurable(durable, info.ack_floor.stream_seq + 1)
  }
  return openDurable(durable)
}

async function infoOf({ manager, subscription }: Durable) {
  try {
    return await manager.consumers.info(eventStream.name, subscription.durable)
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== 10014) throw error
    return null
  }
}

async function addDurable({ manager, subscription, ackWaitMs }: Durable, from?: number): Promise<void> {
  await manager.consumers.add(eventStream.name, {
    durable_name: subscription.durable,
    filter_subject: subscription.subject,
    // Messages are handled in order, so that the last one of a batch speaks for all.
    ack_policy: AckPolicy.All,
    ...(from ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from } : { deliver_policy: DeliverPolicy.All }),
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: 1000,
  })
}
