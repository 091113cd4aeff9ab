import type { AttemptOutcome } from '../http/post-webhook.ts'

const failuresToOpen = 5
const eventsToOpen = 3

/** State that the queue of an endpoint keeps between leases. */
export interface BreakerState {
  /** Number of openings since the last success. */
  openCount: number
  /** Consecutive failures that concern the endpoint rather than one event. */
  failures: number
  /** Ids of the events of these failures, as many as the circuit breaker needs to open. */
  failedEvents: readonly string[]
}

/** Stops attempts to an endpoint that fails repeatedly: no attempts are made or used up while the circuit breaker is open. */
export class CircuitBreaker {
  #openCount: number
  #failures: number
  readonly #failedEvents: Set<string>

  constructor({ openCount, failures, failedEvents }: BreakerState) {
    this.#openCount = openCount
    this.#failures = failures
    this.#failedEvents = new Set(failedEvents)
  }

  get state(): BreakerState {
    return { openCount: this.#openCount, failures: this.#failures, failedEvents: [...this.#failedEvents] }
  }

  /** Records the outcome of an attempt for an event. Returns whether the circuit breaker has opened by it. */
  record(eventId: string, outcome: AttemptOutcome): 'closed' | 'opened' {
    if (outcome.reason === null) this.#openCount = 0
    if (!isEndpointFailure(outcome)) {
      this.#reset()
      return 'closed'
    }
    this.#failures += 1
    if (this.#failedEvents.size < eventsToOpen) this.#failedEvents.add(eventId)
    // Half-open: one failure is enough.
    const isHalfOpen = this.#openCount > 0
    if (!isHalfOpen && (this.#failures < failuresToOpen || this.#failedEvents.size < eventsToOpen)) return 'closed'
    this.#openCount += 1
    this.#reset()
    return 'opened'
  }

  /** Returns the milliseconds to stay open: `baseMs`, doubled with each further opening, up to thirtyfold; `random` is between 0 and 1. */
  pauseMs({ baseMs, random }: { baseMs: number; random: number }): number {
    return Math.round(Math.min(baseMs * 2 ** (this.#openCount - 1), baseMs * 30) * (0.8 + 0.4 * random))
  }

  #reset(): void {
    this.#failures = 0
    this.#failedEvents.clear()
  }
}

/** Returns whether a failure concerns the endpoint: no response, 429 or 5xx. Other error statuses concern one event. */
export function isEndpointFailure({ reason, status }: AttemptOutcome): boolean {
  if (reason === null || reason === 'gone') return false
  return reason !== 'http_status' || status === 429 || (status ?? 0) >= 500
}
