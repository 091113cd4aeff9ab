import { counter } from '../process/metrics.ts'
import type { Logger } from '../process/logger.ts'
import type { EventRejection } from './event-signature.ts'
import type { RequestRejection } from './request-signature.ts'

const rejected = counter('bus_rejected_total', 'Requests and events whose claimed sender could not be verified, by kind and reason.', [
  'kind',
  'reason',
])

/** A rejected message. `not-permitted`: the sender is genuine and may not make the request for this caller. */
type Rejection = { subject: string; message_id?: string } & (
  | { kind: 'request'; reason: RequestRejection | 'not-permitted' }
  | { kind: 'event'; reason: EventRejection }
)

const reasons = {
  request: { unsigned: 0, 'unknown-sender': 0, forged: 0, 'not-permitted': 0 } satisfies Record<RequestRejection | 'not-permitted', 0>,
  event: { unsigned: 0, forged: 0 } satisfies Record<EventRejection, 0>,
}

// Prometheus sees no increase in a series that begins with 1: an alert would miss the first rejection, which may be the only one.
for (const [kind, counts] of Object.entries(reasons)) {
  for (const [reason, count] of Object.entries(counts)) rejected.inc({ kind, reason }, count)
}

/** Counts and logs a rejected request or event. The cause is a wrong key in the configuration or a stolen credential. */
export function reportRejection(log: Logger, { kind, ...about }: Rejection): void {
  rejected.inc({ kind, reason: about.reason })
  log.error(about, `bus.${kind}-rejected`)
}
