import type { ServerResponse } from 'node:http'
import { ServiceUnavailable } from '@quittance/contracts/errors'
import { createFairSlots } from '@quittance/runtime/fair-slots'

/** Sheds load: rejects requests with 503 above the limits for in-flight requests and event-loop delay. */
export interface LoadShedder {
  /** Throws `ServiceUnavailable` while the event-loop delay is above its limit. */
  assertResponsive(): void
  /**
   * Admits a request that has arrived completely until its response is closed; throws `ServiceUnavailable` without a free place. A key, a
   * client network or an organization, may hold four fifths of the places.
   */
  admit(response: ServerResponse, key: string): void
  /** Counts an admitted request for another key, once its caller is known; throws like `admit`. */
  assign(response: ServerResponse, key: string): void
  /** Starts measuring the event-loop delay. The startup itself is not measured. */
  startSampling(): void
  /** From now on connections close after the response in progress. */
  endConnections(): void
  close(): void
}

interface LoadLimits {
  /** Maximum number of requests in progress. */
  maxInFlight: number
  /** Maximum event-loop delay; 0 for no limit. */
  maxDelayMs: number
}

/** Sampling interval of the event-loop delay. */
const sampleIntervalMs = 100

/** Timers run before sockets in a turn of the event loop, so a request that waited for a long turn sees the delay of that turn. */
export function createLoadShedder({ maxInFlight, maxDelayMs }: LoadLimits): LoadShedder {
  const places = createFairSlots(maxInFlight)
  const inFlight = new Map<ServerResponse, string>()
  let isEnding = false
  let delayMs = 0
  let sampleTimer: NodeJS.Timeout | undefined

  function release(response: ServerResponse): boolean {
    const key = inFlight.get(response)
    if (key === undefined) return false
    inFlight.delete(response)
    places.release(key)
    return true
  }

  return {
    assertResponsive() {
      if (maxDelayMs > 0 && delayMs > maxDelayMs) throw new ServiceUnavailable('The gateway is overloaded. Retry later.')
    },
    admit(response, key) {
      if (!places.tryAcquire(key)) throw tooManyInProgress()
      const { socket } = response
      inFlight.set(response, key)
      response.once('close', () => {
        release(response)
        // Node closes connections that are idle at the stop, but waits for those that become idle later.
        if (isEnding) socket?.end()
      })
    },
    assign(response, key) {
      // Released first: with no other free place the request keeps its own.
      if (!release(response)) return
      if (!places.tryAcquire(key)) throw tooManyInProgress()
      inFlight.set(response, key)
    },
    startSampling() {
      let expected = performance.now() + sampleIntervalMs
      sampleTimer = setInterval(() => {
        const now = performance.now()
        delayMs = now - expected
        expected = now + sampleIntervalMs
      }, sampleIntervalMs).unref()
    },
    endConnections() {
      isEnding = true
      for (const response of inFlight.keys()) if (!response.headersSent) response.setHeader('connection', 'close')
    },
    close: () => clearInterval(sampleTimer),
  }
}

const tooManyInProgress = () => new ServiceUnavailable('Too many requests are in progress. Retry later.')
