import type { ServerResponse } from 'node:http'
import { ServiceUnavailable } from '@quittance/contracts/errors'

/** Keeps the door from taking more than it can serve. */
export interface Pressure {
  /** Lets a request in until its answer is closed; throws `ServiceUnavailable` where there is too much already. */
  enter(answer: ServerResponse): void
  /** Begins to look at the event loop: what a start does to it says nothing. */
  watch(): void
  /** From now on a connection ends with the answer that is under way on it. */
  endConnections(): void
  close(): void
}

interface PressureLimits {
  /** Requests that may be under way at once. */
  maxInFlight: number
  /** Milliseconds that the event loop may be behind; 0 for any. */
  maxDelayMs: number
}

/** How often the event loop is looked at. */
const lookMs = 100

/** Timers come before sockets in a turn of the event loop: whoever waited behind a long turn meets the delay that it made. */
export function createPressure({ maxInFlight, maxDelayMs }: PressureLimits): Pressure {
  const underWay = new Set<ServerResponse>()
  let isEnding = false
  let delayMs = 0
  let looking: NodeJS.Timeout | undefined
  return {
    enter(answer) {
      if (underWay.size >= maxInFlight) throw new ServiceUnavailable('Too many requests are under way.')
      if (maxDelayMs > 0 && delayMs > maxDelayMs) throw new ServiceUnavailable('The gateway has more to do than it can.')
      const { socket } = answer
      underWay.add(answer)
      answer.once('close', () => {
        underWay.delete(answer)
        // Node closes connections that are idle when it is told to, and waits for those that become so later.
        if (isEnding) socket?.end()
      })
    },
    watch() {
      let expected = performance.now() + lookMs
      looking = setInterval(() => {
        const now = performance.now()
        delayMs = now - expected
        expected = now + lookMs
      }, lookMs).unref()
    },
    endConnections() {
      isEnding = true
      for (const answer of underWay) if (!answer.headersSent) answer.setHeader('connection', 'close')
    },
    close: () => clearInterval(looking),
  }
}
