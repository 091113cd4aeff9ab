import { counter } from '../process/metrics.ts'
import type { Logger } from '../process/logger.ts'

const rejected = counter('bus_rejected_total', 'Requests and events whose claimed sender could not be verified, by kind and reason.', [
  'kind',
  'reason',
])

/** Counts and logs a rejected request or event. The cause is a wrong key in the configuration or a stolen credential. */
export function reportRejection(
  log: Logger,
  { kind, subject, reason, ...more }: { kind: 'request' | 'event'; subject: string; reason: string; message_id?: string },
): void {
  rejected.inc({ kind, reason })
  log.error({ subject, reason, ...more }, `bus.${kind}-rejected`)
}
