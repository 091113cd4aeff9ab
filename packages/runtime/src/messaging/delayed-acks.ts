import type { JsMsg, NatsConnection } from 'nats'
import { countInterruptions } from '../nats/nats-connection.ts'

/** Far below the time after which the server redelivers a message. */
const maxDelayMs = 100
/** Below the number of unacknowledged messages at which the server stops delivering. */
const maxUnacknowledged = 250

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
  flush(): void
}

/**
 * Acknowledges messages handled within a short time together, because the server writes the state of a durable for every acknowledgement.
 * They are acknowledged on the connection that delivered them only: on a later one the stream may have gone back, and the acknowledgement
 * would move the consumer ahead of it. Messages that are not acknowledged are delivered again, and skipped by the inbox. `mayAcknowledge` is
 * false once another replica may have reset the durable.
 */
export function createDelayedAcks(connection: NatsConnection, mayAcknowledge: () => boolean): DelayedAcks {
  let latest: { message: JsMsg; interruptions: number } | null = null
  let count = 0
  let timer: NodeJS.Timeout | undefined
  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    count = 0
    if (latest && latest.interruptions === countInterruptions(connection) && mayAcknowledge()) latest.message.ack()
    latest = null
  }
  return {
    add({ messages, interruptions }) {
      const message = messages.at(-1)
      if (!message) return
      latest = { message, interruptions }
      count += messages.length
      timer ??= setTimeout(flush, maxDelayMs)
      if (count >= maxUnacknowledged) flush()
    },
    flush,
  }
}
