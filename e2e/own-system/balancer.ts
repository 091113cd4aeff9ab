/** What any balancer does: asks replicas whether they take work, and hands each request to the least busy of those that do. */
export interface Balancer {
  /** Address of a replica that takes work; while all of them have as much as they get, the request waits for the first that has less. */
  take(): Promise<string>
  /** The request that was handed to this address is over. */
  free(origin: string): void
  stop(): void
}

const lookMs = 100

/** `most` requests are under way at a replica. None is bound to one before it is sent: the replica may be gone when its turn comes. */
export async function startBalancer(origins: readonly string[], most: number): Promise<Balancer> {
  const ready = new Set(origins)
  const underWay = new Map(origins.map((origin) => [origin, 0]))
  const waiting: ((origin: string) => void)[] = []
  const count = (origin: string) => underWay.get(origin) as number
  const leastBusy = () => [...ready].toSorted((one, other) => count(one) - count(other))[0]

  function handOut(): void {
    for (let origin = leastBusy(); waiting.length > 0 && origin && count(origin) < most; origin = leastBusy()) {
      underWay.set(origin, count(origin) + 1)
      waiting.shift()?.(origin)
    }
  }
  async function look(origin: string): Promise<void> {
    const verdict = await verdictOn(origin)
    if (verdict === 'ready') ready.add(origin)
    else if (verdict === 'not ready') ready.delete(origin)
    handOut()
  }

  await Promise.all(origins.map(look))
  const timer = setInterval(() => origins.forEach((origin) => void look(origin)), lookMs)
  return {
    take() {
      if (ready.size === 0) return Promise.reject(new Error('No replica is ready'))
      const { promise, resolve } = Promise.withResolvers<string>()
      waiting.push(resolve)
      handOut()
      return promise
    },
    free(origin) {
      underWay.set(origin, count(origin) - 1)
      handOut()
    },
    stop: () => clearInterval(timer),
  }
}

/** A probe that takes too long says that the machine is busy, and nothing about the replica. */
async function verdictOn(origin: string): Promise<'ready' | 'not ready' | 'unknown'> {
  try {
    return (await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) })).status === 200 ? 'ready' : 'not ready'
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'unknown' : 'not ready'
  }
}
