import type { JsMsg, NatsConnection } from 'nats'
import { countInterruptions } from '../nats/nats-connection.ts'
import type { Logger } from '../process/logger.ts'
import { toHandled, type PositionStore } from './consumer-position.ts'

/** Far below the time after which the server redelivers a message. */
const maxDelayMs = 100
/** Below the number of unacknowledged messages at which the server stops delivering. */
const maxUnacknowledged = 250

interface DelayedAcksOptions {
  connection: NatsConnection
  positions: Pick<PositionStore, 'write'>
  /** False once another replica may have reset the durable. */
  mayAcknowledge(): boolean
  log: Logger
}

/** Handled messages, in their order. */
interface Handled {
  messages: readonly JsMsg[]
  /** Interruptions of the connection when the messages were received. */
  interruptions: number
}

/** Acknowledges the handled messages of one consumer. */
export interface DelayedAcks {
  /** Acknowledges the messages within 100 ms. */
  add(handled: Handled): void
  /** Acknowledges all messages now. */
  flush(): Promise<void>
}

/**
 * Acknowledges messages handled within a short time together, because the server writes the state of a durable for every acknowledgement.
 * They are acknowledged after the position was stored, and on the connection that delivered them only: on a later one the stream may have
 * gone back, and the acknowledgement would move the consumer ahead of it. Messages that are not acknowledged are delivered again, and
 * skipped by the inbox.
 */
export function createDelayedAcks({ connection, positions, mayAcknowledge, log }: DelayedAcksOptions): DelayedAcks {
  let latest: { message: JsMsg; interruptions: number } | null = null
  let count = 0
  let timer: NodeJS.Timeout | undefined
  let acknowledged: Promise<void> = Promise.resolve()
  async function acknowledge({ message, interruptions }: NonNullable<typeof latest>): Promise<void> {
    const mayStill = () => interruptions === countInterruptions(connection) && mayAcknowledge()
    if (!mayStill()) return
    const position = toHandled(message)
    try {
      if (position) await positions.write(position)
      if (mayStill()) message.ack()
    } catch (error) {
      log.warn({ err: error }, 'consumer.not-acknowledged')
    }
  }
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    count = 0
    const handled = latest
    latest = null
    if (handled) acknowledged = acknowledged.then(() => acknowledge(handled))
    return acknowledged
  }
  return {
    add({ messages, interruptions }) {
      const message = messages.at(-1)
      if (!message) return
      latest = { message, interruptions }
      count += messages.length
      timer ??= setTimeout(() => void flush(), maxDelayMs)
      if (count >= maxUnacknowledged) void flush()
    },
    flush,
  }
}
