import type { z } from 'zod'
import type { BusServiceName } from './services.ts'

/**
 * An immutable fact, published by its owner at least once and consumed by its subscribers. The payload is a snapshot, so consumers need no
 * further request. Message id, organization and trace are sent as headers, never in the payload.
 */
export interface Event<Payload extends z.ZodType = z.ZodType> {
  /** `event.‹aggregate›.‹past tense›`. */
  subject: `event.${string}.${string}`
  /** The only service that may publish it. */
  publisher: BusServiceName
  /** The type shown in webhooks (`order.paid`), or null for events between services. */
  webhookType: string | null
  /** When the event is sent, in one sentence. */
  summary: string
  payload: Payload
}

/** Defines an event; the type of the payload is inferred. */
export function event<Payload extends z.ZodType>(description: Event<Payload>): Event<Payload> {
  return description
}

/** The payload of an event. For events with a `webhookType` it is the `data` of the webhook. */
export type PayloadOf<E extends Event> = z.output<E['payload']>
