/** A life this long was a healthy one: the next failure is a first one again. */
export const healthyMs = 10_000

/** At once the first time, then doubling up to ten seconds. */
export function restartDelayMs(earlierFailures: number): number {
  return earlierFailures === 0 ? 100 : Math.min(10_000, 250 * 2 ** earlierFailures)
}
