import type { ServerResponse } from 'node:http'
import { TooManyRequests } from '@quittance/contracts/errors'
import { clientNetwork } from '@quittance/runtime/client-network'
import { createBodyDiscarder, hasBody } from './discard-body.ts'
import { handleClientError } from './errors.ts'

/** Requests whose bodies have not arrived completely, by client network. */
export interface RequestArrivals {
  /** Follows the body of a request until it is complete, also after the response. A body that is too slow ends its connection. */
  begin(response: ServerResponse, address: string): void
  /** Throws `TooManyRequests` for a request with a body if the network has too many that do not arrive. */
  assertFew(response: ServerResponse, address: string): void
  /** Discards what has not arrived of a body that nothing uses, within limits for the request and its network. */
  discard(response: ServerResponse, address: string): void
  close(): void
}

/** Unfinished requests of one network; a body that arrives within `settleMs` does not count. */
const maxUnfinished = 32
const settleMs = 1_000
/** Minimum rate of a body, in bytes per second, after the first `rateGraceMs`. */
const minBytesPerSecond = 1_024
const rateGraceMs = 5_000
const checkIntervalMs = 1_000

interface Arrival {
  response: ServerResponse
  startedAt: number
  /** Bytes that the connection had received before. */
  bytesBefore: number
}

export function createRequestArrivals(): RequestArrivals {
  const byNetwork = new Map<string, Set<Arrival>>()
  const discarder = createBodyDiscarder()

  function end(network: string, arrival: Arrival): void {
    const arrivals = byNetwork.get(network)
    arrivals?.delete(arrival)
    if (arrivals?.size === 0) byNetwork.delete(network)
  }

  /** Ends connections whose body arrives too slowly, with a 408 if there was no response. */
  function endSlow(): void {
    const now = performance.now()
    for (const [network, arrivals] of byNetwork) {
      for (const arrival of arrivals) {
        const { response, startedAt, bytesBefore } = arrival
        const { socket } = response.req
        const elapsed = now - startedAt
        if (elapsed < rateGraceMs || socket.bytesRead - bytesBefore >= (elapsed / 1_000) * minBytesPerSecond) continue
        if (response.headersSent) socket.destroy()
        else handleClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket)
        end(network, arrival)
      }
    }
  }

  const timer = setInterval(() => {
    endSlow()
    discarder.startSecond()
  }, checkIntervalMs).unref()
  return {
    begin(response, address) {
      const { req: message } = response
      if (!hasBody(message)) return
      const network = clientNetwork(address)
      const arrivals = byNetwork.get(network) ?? new Set()
      const arrival = { response, startedAt: performance.now(), bytesBefore: message.socket.bytesRead }
      byNetwork.set(network, arrivals.add(arrival))
      message.once('end', () => end(network, arrival))
      message.once('close', () => end(network, arrival))
      // Nothing reads the body of these: it would not end before the response.
      if (message.method === 'GET' || message.method === 'HEAD') discarder.discard(response, address)
    },
    assertFew({ req: message }, address) {
      if (!hasBody(message)) return
      const arrivals = byNetwork.get(clientNetwork(address)) ?? new Set()
      if (countBefore(arrivals, performance.now() - settleMs) < maxUnfinished) return
      throw new TooManyRequests(`More than ${maxUnfinished} requests from one address have not arrived completely.`, 1)
    },
    discard: discarder.discard,
    close: () => clearInterval(timer),
  }
}

/** Counts requests that began before a time, up to the limit of unfinished ones. They are in the order of their beginnings. */
function countBefore(arrivals: ReadonlySet<Arrival>, time: number): number {
  let count = 0
  for (const { startedAt } of arrivals) {
    if (startedAt >= time || count === maxUnfinished) break
    count += 1
  }
  return count
}
