import type { ServerResponse } from 'node:http'
import { TooManyRequests } from '@quittance/contracts/errors'
import { clientNetwork } from '@quittance/runtime/client-network'
import { createHeldCounts } from '@quittance/runtime/held-counts'

/** Bytes of the large responses of each client network: those of a second, and those that are not read yet. */
export interface ResponseBytes {
  /** For reads. Throws `TooManyRequests` while the network has had more than its share of the last seconds. */
  assertFew(address: string): void
  /** Counts a body before its compression until its response is closed; throws `TooManyRequests` if the network leaves too many unread. */
  count(response: ServerResponse, body: { address: string; bytes: number }): void
  close(): Promise<void>
}

/** Smaller responses cost no more than others, and their number is limited. */
const minCountedBytes = 64 * 1_024
/** A body stays in memory until its client has read it. */
const maxUnreadBytes = 64 * 1_024 * 1_024
/** Requests that began at once are all answered: what they had too much is taken from the next seconds, at most from these. */
const maxDebtSeconds = 10

/** Creates the counts. `bytesPerSecond`: share of one network, 0 for no limit. */
export function createResponseBytes(bytesPerSecond: number): ResponseBytes {
  const recent = new Map<string, number>()
  const unread = createHeldCounts()

  function startSecond(): void {
    for (const [network, bytes] of recent) {
      if (bytes > bytesPerSecond) recent.set(network, bytes - bytesPerSecond)
      else recent.delete(network)
    }
  }

  const timer = bytesPerSecond > 0 ? setInterval(startSecond, 1_000).unref() : undefined
  return {
    assertFew(address) {
      if (recent.size === 0) return
      const bytes = recent.get(clientNetwork(address)) ?? 0
      if (bytes < bytesPerSecond) return
      const text = `More than ${Math.floor(bytesPerSecond / 1_024)} KiB of large responses within a second for one address.`
      throw new TooManyRequests(text, Math.max(1, Math.floor(bytes / bytesPerSecond)))
    },
    count(response, { address, bytes }) {
      if (bytes < minCountedBytes) return
      const network = clientNetwork(address)
      if (bytesPerSecond > 0) recent.set(network, Math.min((recent.get(network) ?? 0) + bytes, maxDebtSeconds * bytesPerSecond))
      // A client that has left reads nothing, and `close` was emitted before.
      if (response.closed) return
      if (unread.count(network) + bytes > maxUnreadBytes)
        throw new TooManyRequests('Too many responses of one address have not been read. Read them first.', 1)
      unread.add(network, bytes)
      response.once('close', () => unread.add(network, -bytes))
    },
    close: async () => clearInterval(timer),
  }
}
