/**
 * Holds mails back while the SMTP server is unavailable, so that not every mail that waits is tried in vain. After a failure it is
 * closed for a second, doubling up to half a minute; then one mail is tried.
 */
export interface TransportGate {
  /** Whether a mail may be tried now. Call `succeeded` or `failed` afterwards, or `released` if none was due or the reply takes long. */
  enter(): boolean
  succeeded(): void
  failed(): void
  released(): void
  /** Milliseconds until a mail may be tried; 0 if the gate is open. */
  remainingMs(): number
}

const firstPauseMs = 1_000
const maxPauseMs = 30_000

export function createTransportGate(now: () => number = () => performance.now()): TransportGate {
  let failures = 0
  let closedUntil = 0
  let isProbing = false
  return {
    enter() {
      if (failures === 0) return true
      if (isProbing || now() < closedUntil) return false
      isProbing = true
      return true
    },
    succeeded() {
      failures = 0
      isProbing = false
    },
    failed() {
      // Mails that were under way when the server went away count as one failure.
      if (failures === 0 || isProbing) failures += 1
      isProbing = false
      closedUntil = now() + Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs)
    },
    released() {
      isProbing = false
    },
    remainingMs: () => (failures === 0 ? 0 : Math.max(0, closedUntil - now())),
  }
}
