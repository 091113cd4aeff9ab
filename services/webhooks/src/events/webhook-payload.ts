import type { EventMessage } from '@quittance/runtime/handler'
import { counter } from '@quittance/runtime/metrics'
import type { PublicEvent } from '@quittance/contracts/registry'

/** Larger payloads are sent without their data: receivers and their proxies reject such bodies. */
const maxPayloadBytes = 256 * 1024
const thinnedPayloads = counter(
  'webhook_payloads_thinned_total',
  'Number of events sent without their data because the payload is too large.',
)

/**
 * Renders the body of the webhook once: the same bytes are stored, signed and sent in every attempt. They are what `JSON.stringify` makes of
 * the parsed body, because receivers whose framework has parsed it verify the signature of that text (`@polar-sh/express`); texts of
 * PostgreSQL have spaces. If the payload is too large, only the object's id is sent, with which the receiver can request the rest.
 */
export function webhookPayload({
  event,
  occurredAt,
  payload,
}: Pick<EventMessage<PublicEvent>, 'event' | 'occurredAt' | 'payload'>): string {
  const whole = envelope(event.webhookType, { occurredAt, data: JSON.stringify(payload) })
  if (Buffer.byteLength(whole) <= maxPayloadBytes) return whole
  thinnedPayloads.inc()
  const id = (payload as { id?: unknown } | null)?.id
  return envelope(event.webhookType, { occurredAt, data: JSON.stringify(typeof id === 'string' ? { id } : {}) })
}

/** Wraps data in the two keys that every receiver reads, plus the time. `data` is JSON as `JSON.stringify` writes it. */
export function envelope(type: string, { occurredAt, data }: { occurredAt: Date; data: string }): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`
}
