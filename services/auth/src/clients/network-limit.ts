import { LRUCache } from 'lru-cache'

const hourMs = 3_600_000

/** Counts what the callers of each network do within an hour, at this replica. */
export interface NetworkLimit {
  /** Counts one more. Returns null, or the seconds to wait if the network has reached the limit. */
  count(network: string): number | null
}

export function createNetworkLimit(maxPerHour: number): NetworkLimit {
  const counts = new LRUCache<string, number>({ max: 10_000, ttl: hourMs, noUpdateTTL: true })
  return {
    count(network) {
      const count = (counts.get(network) ?? 0) + 1
      if (count > maxPerHour) return Math.max(1, Math.ceil(counts.getRemainingTTL(network) / 1000))
      counts.set(network, count)
      return null
    },
  }
}
