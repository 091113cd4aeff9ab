import type { IncomingMessage } from 'node:http'
import { TooManyRequests } from '@quittance/contracts/errors'
import { clientNetwork } from '@quittance/runtime/client-network'
import { handleClientError } from './errors.ts'

/** Requests whose bodies have not arrived completely, by client network. */
export interface RequestArrivals {
  /**
   * Follows the body of a request until it is complete.
   * @throws TooManyRequests if the network has too many requests that do not arrive.
   */
  begin(message: IncomingMessage, address: string): void
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
  message: IncomingMessage
  startedAt: number
  /** Bytes that the connection had received before. */
  bytesBefore: number
}

export function createRequestArrivals(): RequestArrivals {
  const byNetwork = new Map<string, Set<Arrival>>()

  function end(network: string, arrival: Arrival): void {
    const arrivals = byNetwork.get(network)
    arrivals?.delete(arrival)
    if (arrivals?.size === 0) byNetwork.delete(network)
  }

  /** Ends connections whose body arrives too slowly, with a 408. */
  function endSlow(): void {
    const now = performance.now()
    for (const [network, arrivals] of byNetwork) {
      for (const arrival of arrivals) {
        const { startedAt, bytesBefore } = arrival
        const { socket } = arrival.message
        const elapsed = now - startedAt
        if (elapsed < rateGraceMs || socket.bytesRead - bytesBefore >= (elapsed / 1_000) * minBytesPerSecond) continue
        handleClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket)
        end(network, arrival)
      }
    }
  }

  const timer = setInterval(endSlow, checkIntervalMs).unref()
  return {
    begin(message, address) {
      if (!hasBody(message)) return
      // Nothing reads the body of these: it would not end before the response.
      if (message.method === 'GET' || message.method === 'HEAD') message.resume()
      const network = clientNetwork(address)
      const arrivals = byNetwork.get(network) ?? new Set()
      const startedAt = performance.now()
      if (arrivals.size >= maxUnfinished && countBefore(arrivals, startedAt - settleMs) >= maxUnfinished) {
        throw new TooManyRequests(`More than ${maxUnfinished} requests from one address have not arrived completely.`, 1)
      }
      const arrival = { message, startedAt, bytesBefore: message.socket.bytesRead }
      byNetwork.set(network, arrivals.add(arrival))
      message.once('end', () => end(network, arrival))
      message.once('close', () => end(network, arrival))
    },
    close: () => clearInterval(timer),
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function countBefore(arrivals: ReadonlySet<Arrival>, time: number): number {
  let count = 0
  for (const { startedAt } of arrivals) if (startedAt < time) count += 1
  return count
}
