import type { AttemptOutcome } from '../http/post-webhook.ts'
import { isEndpointFailure } from './circuit-breaker.ts'

const failuresToDemote = 3
/** Milliseconds of a response from which on an endpoint is slow: it leaves the reserved pool. */
export const slowMs = 1_000
/** From this limit on, a success allows the maximum at once. */
const provenLimit = 4

/** Estimates from the outcomes of attempts how many concurrent POSTs an endpoint can take. */
export class HealthEstimate {
  /** The last attempt succeeded and responses are fast. Such endpoints use a reserved pool of permits. */
  isHealthy: boolean
  /** Maximum number of concurrent POSTs. */
  limit: number
  /** Exponential moving average of the response time. */
  #latencyMs = 0
  /** Consecutive failures that concern the endpoint. */
  #failures: number
  readonly #maxLimit: number
  /** Of a slow endpoint: it responds, so more than one POST at a time, or it would fall behind at few events per second. */
  readonly #slowLimit: number

  constructor({ isHealthy, failures, maxLimit }: { isHealthy: boolean; failures: number; maxLimit: number }) {
    this.#failures = failures
    this.isHealthy = isHealthy
    this.limit = isHealthy ? maxLimit : 1
    this.#maxLimit = maxLimit
    this.#slowLimit = Math.ceil(maxLimit / 2)
  }

  /** Records the outcome of an attempt. */
  record(outcome: AttemptOutcome): void {
    this.#latencyMs += (outcome.durationMs - this.#latencyMs) / 5
    this.#failures = isEndpointFailure(outcome) ? this.#failures + 1 : 0
    if (outcome.reason === null) this.#promote()
    else if (outcome.reason === 'timeout' || this.#failures >= failuresToDemote) this.demote()
  }

  /** A POST takes long: the endpoint leaves the reserved pool until a fast success. Whether it is dead shows the end of the POST. */
  slowDown(): void {
    this.isHealthy = false
    this.limit = Math.min(this.limit, this.#slowLimit)
  }

  /** Allows one POST at a time, outside of the reserved pool, because the endpoint may be dead. */
  demote(): void {
    this.isHealthy = false
    this.limit = 1
  }

  #promote(): void {
    this.isHealthy = this.#latencyMs <= slowMs
    const wanted = this.limit >= provenLimit ? this.#maxLimit : this.limit * 2
    this.limit = Math.min(wanted, this.isHealthy ? this.#maxLimit : this.#slowLimit)
  }
}
