import type { EventMessage } from '@quittance/runtime/handler'
import { countOf } from '@quittance/runtime/health'
import type { PublicEvent } from '@quittance/contracts/registry'

/** Larger ones are sent without their data: receivers and the proxies before them refuse such bodies. */
const mostBytes = 256 * 1024
const thinned = countOf('webhook_payloads_thinned_total', 'Events that were too large to be sent whole.')

/**
 * The body of the webhook. Rendered once: these bytes are stored, signed and sent, at every attempt. `data` is the fact as its
 * owner wrote it, letter for letter; of one that is too large only the id, to ask for the rest with.
 */
export function webhookPayload({ event, occurredAt, payloadText, payload }: EventMessage<PublicEvent>): string {
  const whole = envelope(event.webhookType, { occurredAt, data: payloadText })
  if (Buffer.byteLength(whole) <= mostBytes) return whole
  thinned.inc()
  const id = (payload as { id?: unknown } | null)?.id
  return envelope(event.webhookType, { occurredAt, data: JSON.stringify(typeof id === 'string' ? { id } : {}) })
}

/** The two keys every receiver reads, and the time. `data` is JSON. */
export function envelope(type: string, { occurredAt, data }: { occurredAt: Date; data: string }): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${occurredAt.toISOString()}","data":${data}}`
}
