/** Maximum delay that a rate limit compensates for after a late permit. */
const maxCatchUpMs = 20

/** Spaces the POSTs to an endpoint with a rate limit. Times are those of one monotonic clock in milliseconds. */
export class RateLimiter {
  /** Time of the next POST. */
  #availableAt = 0

  isAvailable(now: number): boolean {
    return this.#availableAt <= now
  }

  /** Records a POST. `perSecond` is the current limit of the endpoint, or null. */
  take(now: number, perSecond: number | null): void {
    if (perSecond) this.#availableAt = Math.max(this.#availableAt, now - maxCatchUpMs) + 1000 / perSecond
  }
}
