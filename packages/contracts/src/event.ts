import type { z } from 'zod'
import type { ServiceName } from './services.ts'

/**
 * A fact, told once by its owner and heard by whoever subscribes. The payload is a snapshot: no listener asks back.
 * Message id, organization and trace travel as headers, never in the payload.
 */
export interface Event<Payload extends z.ZodType = z.ZodType> {
  /** `event.‹aggregate›.‹past tense›`. */
  subject: `event.${string}.${string}`
  /** The only service that may publish it. */
  publisher: ServiceName
  /** The type customers see in webhooks (`order.paid`), or null for events between services. */
  webhookType: string | null
  /** When it is sent, in one sentence. */
  summary: string
  payload: Payload
}

/** Describes an event; the type of the payload is inferred. */
export function event<Payload extends z.ZodType>(description: Event<Payload>): Event<Payload> {
  return description
}

/** The fact itself. For events with a `webhookType` it is the `data` of the webhook. */
export type PayloadOf<E extends Event> = z.output<E['payload']>
