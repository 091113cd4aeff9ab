import { createHeldCounts } from '@quittance/runtime/held-counts'

/**
 * A fixed number of resources, each used by one caller at a time. An owner, usually an organization, has at most its share of them in use.
 * Other callers wait: the next one is that of the owner with the fewest resources in use, then the one that has waited longest.
 */
export interface ResourcePool<T> {
  /** Rejects with `PoolTimeout` once stopped; then `work` was not started. */
  use<R>(owner: string, work: (resource: T) => Promise<R>): Promise<R>
  /** Rejects waiting and new callers until `start`. Resolves when all resources are released. */
  stop(): Promise<void>
  start(): void
}

export class PoolTimeout extends Error {}

interface Waiting<T> {
  owner: string
  resolve(resource: T): void
  reject(error: Error): void
}

/** Creates a pool. `share` is the maximum number of resources of one owner; omitted, there is none. */
export function createResourcePool<T>(resources: readonly T[], { share = resources.length } = {}): ResourcePool<T> {
  const free = [...resources]
  const waiting: Waiting<T>[] = []
  const used = createHeldCounts()
  let stopped = false
  let onAllReleased = () => {}

  function acquire(owner: string): Promise<T> {
    if (stopped) return Promise.reject(new PoolTimeout('Closed'))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    waiting.push({ owner, resolve, reject })
    assign()
    return promise
  }

  /** Gives free resources to those who may have them. */
  function assign(): void {
    while (free.length > 0) {
      const [next] = waiting.filter(({ owner }) => used.count(owner) < share).toSorted((a, b) => used.count(a.owner) - used.count(b.owner))
      if (!next) return
      waiting.splice(waiting.indexOf(next), 1)
      used.add(next.owner, 1)
      next.resolve(free.pop() as T)
    }
  }

  function release(owner: string, resource: T): void {
    used.add(owner, -1)
    free.push(resource)
    assign()
    if (free.length === resources.length) onAllReleased()
  }

  return {
    async use(owner, work) {
      const resource = await acquire(owner)
      return await work(resource).finally(() => release(owner, resource))
    },
    async stop() {
      stopped = true
      for (const { reject } of waiting.splice(0)) reject(new PoolTimeout('Closed'))
      if (free.length < resources.length) await new Promise<void>((resolve) => (onAllReleased = resolve))
    },
    start: () => void (stopped = false),
  }
}
