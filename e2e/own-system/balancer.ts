/** A load balancer: probes the readiness of replicas and assigns each request to the least busy ready one. */
export interface Balancer {
  /** Resolves with the address of a ready replica; waits while all ready replicas are at their limit. */
  acquire(): Promise<string>
  /** Marks a request to this address as complete. */
  release(origin: string): void
  stop(): void
}

const probeIntervalMs = 100

/**
 * Starts a balancer with at most `maxPerReplica` requests in progress per replica. A waiting request is not assigned to a replica before it
 * is sent: the replica may be gone by then.
 */
export async function startBalancer(origins: readonly string[], maxPerReplica: number): Promise<Balancer> {
  const ready = new Set(origins)
  const inFlight = new Map(origins.map((origin) => [origin, 0]))
  const waiting: ((origin: string) => void)[] = []
  const count = (origin: string) => inFlight.get(origin) as number
  const findLeastBusy = () => [...ready].toSorted((one, other) => count(one) - count(other))[0]

  function assignWaiting(): void {
    for (let origin = findLeastBusy(); waiting.length > 0 && origin && count(origin) < maxPerReplica; origin = findLeastBusy()) {
      inFlight.set(origin, count(origin) + 1)
      waiting.shift()?.(origin)
    }
  }
  async function probe(origin: string): Promise<void> {
    const readiness = await probeReadiness(origin)
    if (readiness === 'ready') ready.add(origin)
    else if (readiness === 'not ready') ready.delete(origin)
    assignWaiting()
  }

  await Promise.all(origins.map(probe))
  const timer = setInterval(() => origins.forEach((origin) => void probe(origin)), probeIntervalMs)
  return {
    acquire() {
      if (ready.size === 0) return Promise.reject(new Error('No replica is ready'))
      const { promise, resolve } = Promise.withResolvers<string>()
      waiting.push(resolve)
      assignWaiting()
      return promise
    },
    release(origin) {
      inFlight.set(origin, count(origin) - 1)
      assignWaiting()
    },
    stop: () => clearInterval(timer),
  }
}

/** A probe that times out indicates a busy machine, not an unready replica. */
async function probeReadiness(origin: string): Promise<'ready' | 'not ready' | 'unknown'> {
  try {
    return (await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200 ? 'ready' : 'not ready'
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'unknown' : 'not ready'
  }
}
