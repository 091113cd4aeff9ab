import type { EventMessage } from '@quittance/runtime/handler'
import type { PublicEvent } from '@quittance/contracts/registry'

/**
 * The body of the webhook. Rendered once: these bytes are stored, signed and sent, at every attempt. `data` is the fact as its
 * owner wrote it, letter for letter.
 */
export function webhookPayload({ event, occurredAt, payloadText }: EventMessage<PublicEvent>): string {
  return `{"type":${JSON.stringify(event.webhookType)},"timestamp":"${occurredAt.toISOString()}","data":${payloadText}}`
}
