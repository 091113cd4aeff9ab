import type { Event, PayloadOf } from '@quittance/contracts/event'
import type { NatsConnection } from 'nats'
import type { Logger } from '../process/logger.ts'
import { findEventRejection, type EventTrust } from '../bus/event-signature.ts'
import { reportRejection } from '../bus/rejections.ts'

interface SubscribeOptions extends EventTrust {
  connection: NatsConnection
  log: Logger
}

/**
 * Subscribes every replica to an event as it is published, outside the stream: at most once, and nothing is stored for a replica that is
 * down. Only events signed by their publisher reach the handler.
 */
export function subscribeToEvent<E extends Event>(
  { connection, log, ...trust }: SubscribeOptions,
  event: E,
  handle: (payload: PayloadOf<E>) => void,
): void {
  connection.subscribe(event.subject, {
    callback(error, { subject, headers, data: body }) {
      if (error) return log.warn({ err: error }, 'revocation.subscription-error')
      const rejection = findEventRejection(trust, {
        publisher: event.publisher,
        subject,
        body,
        header: (name) => headers?.get(name) ?? '',
      })
      if (rejection) return reportRejection(log, { kind: 'event', subject: event.subject, reason: rejection })
      try {
        handle(JSON.parse(Buffer.from(body).toString()))
      } catch (error) {
        // A stolen key of its publisher must not end the process.
        log.error({ err: error, subject }, 'revocation.not-handled')
      }
    },
  })
}
