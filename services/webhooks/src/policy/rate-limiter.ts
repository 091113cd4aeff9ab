/** Part of a second by which POSTs are spaced further apart than the limit allows, so that no second at the endpoint has more. */
const spacingMargin = 0.015
/** Length of the time in which at most the limit is started. Longer than a second, because POSTs do not travel equally long. */
const windowMs = 1_015
/** Maximum delay that is caught up after late permits. */
const maxCatchUpMs = 500

/**
 * Spaces the POSTs to an endpoint with a rate limit. POSTs that started late are followed by others sooner, as long as no second has more
 * than the limit. Times are those of one monotonic clock in milliseconds.
 */
export class RateLimiter {
  #perSecond: number | null = null
  /** Time of the next POST by the spacing; null before the first one, which has nothing to catch up with. */
  #nextAt: number | null = null
  /** Times of the last POSTs, as many as the limit. */
  #startedAt: number[] = []

  /** Whether POSTs are limited now. */
  get isLimiting(): boolean {
    return this.#perSecond !== null
  }

  isAvailable(now: number): boolean {
    if (this.#perSecond === null) return true
    const first = this.#startedAt[this.#startedAt.length - this.#perSecond]
    return (this.#nextAt ?? 0) <= now && (first === undefined || now - first >= windowMs)
  }

  /** Records a POST. `perSecond` is the current limit of the endpoint, or null. */
  take(now: number, perSecond: number | null): void {
    this.#perSecond = perSecond
    if (perSecond === null) {
      this.#nextAt = null
      this.#startedAt = []
      return
    }
    this.#nextAt = Math.max(this.#nextAt ?? now, now - maxCatchUpMs) + (1_000 * (1 + spacingMargin)) / perSecond
    this.#startedAt.push(now)
    while (this.#startedAt.length > perSecond) this.#startedAt.shift()
  }
}
