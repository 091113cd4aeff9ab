import { slowMs } from './health-estimate.ts'

/** A queue whose POSTs the pools limit. */
interface PooledQueue {
  health: { isHealthy: boolean }
}

/**
 * Limits concurrent POSTs in two pools: 75 % for healthy endpoints, 25 % for the others. A POST without a response is soon moved to the
 * parked pool, because it costs a socket but no work, and its permit becomes free.
 */
export interface ConcurrencyPools<Queue extends PooledQueue> {
  /** Whether a POST of this queue may start. */
  hasCapacity(queue: Queue): boolean
  /** Number of free permits. */
  available(): { proven: number; unproven: number }
  acquire(queue: Queue): Permit<Queue>
  release(permit: Permit<Queue>): void
  /** Parks POSTs without a response. Returns the healthy queues whose POSTs take too long. */
  sweep(): Queue[]
  used(): Record<Pool, number>
}

export type Pool = 'proven' | 'unproven' | 'parked'

/** The right to send one POST, held while it is in progress. */
export interface Permit<Queue> {
  queue: Queue
  pool: Pool
  startedAt: number
}

const provenShare = 0.75
const parkAfterMs = 250
/** Parked POSTs allowed per permit. */
const parkedPerPermit = 4

export function createConcurrencyPools<Queue extends PooledQueue>(maxInFlight: number): ConcurrencyPools<Queue> {
  const limits = {
    proven: Math.ceil(maxInFlight * provenShare),
    unproven: Math.max(1, Math.floor(maxInFlight * (1 - provenShare))),
    parked: maxInFlight * parkedPerPermit,
  }
  const used: Record<Pool, number> = { proven: 0, unproven: 0, parked: 0 }
  /** In the order of their start. */
  const permits = new Set<Permit<Queue>>()

  function move(permit: Permit<Queue>, pool: Pool): void {
    used[permit.pool] -= 1
    used[pool] += 1
    permit.pool = pool
  }

  function park(permit: Permit<Queue>, ageMs: number): void {
    if (permit.pool === 'proven' && ageMs < slowMs) return
    if (used.parked < limits.parked) move(permit, 'parked')
    else if (permit.pool === 'proven') move(permit, 'unproven')
  }

  return {
    hasCapacity: ({ health }) => (health.isHealthy ? used.proven < limits.proven : used.unproven < limits.unproven),
    available: () => ({ proven: limits.proven - used.proven, unproven: limits.unproven - used.unproven }),
    acquire(queue) {
      const permit: Permit<Queue> = { queue, pool: queue.health.isHealthy ? 'proven' : 'unproven', startedAt: performance.now() }
      used[permit.pool] += 1
      permits.add(permit)
      return permit
    },
    release(permit) {
      if (permits.delete(permit)) used[permit.pool] -= 1
    },
    sweep() {
      const now = performance.now()
      const slow = new Set<Queue>()
      for (const permit of permits) {
        const ageMs = now - permit.startedAt
        if (ageMs < parkAfterMs) break
        park(permit, ageMs)
        if (ageMs >= slowMs && permit.queue.health.isHealthy) slow.add(permit.queue)
      }
      return [...slow]
    },
    used: () => ({ ...used }),
  }
}
