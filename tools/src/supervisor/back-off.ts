/** A run of this length was healthy: the next failure counts as the first one. */
export const healthyMs = 10_000

/** Returns the delay before a restart: none the first time, then doubling up to ten seconds. */
export function restartDelayMs(earlierFailures: number): number {
  return earlierFailures === 0 ? 100 : Math.min(10_000, 250 * 2 ** earlierFailures)
}
