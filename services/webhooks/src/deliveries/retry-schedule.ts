/** When a failed delivery is tried again. */
export interface Retry {
  /** Seconds before each retry, from the configuration. */
  schedule: readonly number[]
  /** Tries made, the failed one included. */
  tries: number
  /** Milliseconds the endpoint asked to wait, if it did. */
  askedMs: number | null
  /** Between 0 and 1: spreads the retries of many deliveries that failed together. */
  random: number
}

const jitter = 0.2
const longestAskedMs = 24 * 3_600_000

/** Milliseconds from the end of the failed try to the next, or null when there is none. */
export function retryDelayMs({ schedule, tries, askedMs, random }: Retry): number | null {
  const seconds = schedule[tries - 1]
  if (seconds === undefined) return null
  const planned = seconds * 1000 * (1 - jitter + 2 * jitter * random)
  return Math.round(Math.max(planned, Math.min(askedMs ?? 0, longestAskedMs)))
}

/** Milliseconds a `Retry-After` asks for (RFC 9110 §10.2.3: seconds or a date), or null for what is neither, or past. */
export function readRetryAfter(value: string | null, now: Date): number | null {
  if (!value) return null
  if (/^\d+$/.test(value)) return Number(value) * 1000
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return null
  const wait = Date.parse(value) - now.getTime()
  return wait > 0 ? wait : null
}
