import { randomUUID } from 'node:crypto'
import type { JobContext } from '@quittance/runtime/handler'
import { leasesLost } from './delivery-metrics.ts'
import { EndpointQueue, type LeasedQueueRow } from './endpoint-queue.ts'
import { releaseLeases, renewLeases, leaseQueues } from './queue-store.ts'

/** Maximum number of leases of a replica per pool, so that many dead endpoints do not use up the share of the others. */
const maxQueues = { proven: 1_000, unproven: 3_000 }
/** Minimum number of queues to lease, however many are leased already. */
const minLeaseCount = 10
const idleReleaseMs = 2_000
/** Share of the lease in which POSTs may start; the rest is left for storing results. */
const sendShare = 0.8

/** The endpoint queues that this replica has leased. */
export class LeasedQueues {
  readonly #owner = randomUUID()
  readonly #maxInFlight: number
  readonly #queues = new Map<string, EndpointQueue>()
  #renewedAt = performance.now()

  /** `maxInFlight` is the maximum number of concurrent POSTs to one endpoint. */
  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight
  }

  get byEndpoint(): ReadonlyMap<string, EndpointQueue> {
    return this.#queues
  }

  /** Leases queues with due deliveries, and marks own queues with new deliveries for reading. */
  async lease(context: JobContext): Promise<void> {
    const until = performance.now() + context.leaseMs * sendShare
    const healthy = [...this.#queues.values()].filter(isHealthy).length
    const capacity = {
      owner: this.#owner,
      proven: Math.max(maxQueues.proven - healthy, minLeaseCount),
      unproven: Math.max(maxQueues.unproven - (this.#queues.size - healthy), minLeaseCount),
    }
    for (const row of await leaseQueues(context, capacity)) this.#add(row, until)
  }

  /** Renews the leases after a third of their duration; closes queues whose lease was lost. */
  async renew(context: JobContext): Promise<void> {
    const now = performance.now()
    if (this.#queues.size === 0 || now - this.#renewedAt < context.leaseMs / 3) return
    const renewed = await renewLeases(context, [...this.#queues.values()])
    this.#renewedAt = now
    for (const queue of this.#queues.values()) {
      if (renewed.has(queue.lease.endpointId)) queue.lease.until = now + context.leaseMs * sendShare
      else this.#drop(queue)
    }
  }

  /** Releases idle queues; when the service stops, all queues without POSTs in progress or unrecorded results. */
  async release(context: JobContext, isStopping = false): Promise<void> {
    const now = performance.now()
    const released = [...this.#queues.values()].filter((queue) => queue.isSettled() && (isStopping || isIdle(queue, now)))
    if (released.length === 0) return
    for (const { lease } of released) {
      lease.isClosed = true
      this.#queues.delete(lease.endpointId)
    }
    await context.systemTransaction(({ systemSql }) => releaseLeases(systemSql, released))
  }

  /** Returns the queues to read, per pool at most as many as permits are free: a delivery that is not started soon is read again. */
  readyToRead(now: number, available: { proven: number; unproven: number }): EndpointQueue[] {
    const ready = [...this.#queues.values()].filter((queue) => queue.shouldRead(now))
    return [
      ...ready.filter(isHealthy).slice(0, Math.max(0, available.proven)),
      ...ready.filter((queue) => !isHealthy(queue)).slice(0, Math.max(0, available.unproven)),
    ]
  }

  #add(row: LeasedQueueRow, until: number): void {
    const current = this.#queues.get(row.endpoint_id)
    if (current && current.lease.epoch === row.epoch) {
      current.buffer.hasMore = true
      return
    }
    if (current) this.#drop(current)
    this.#queues.set(row.endpoint_id, new EndpointQueue(row, { maxInFlight: this.#maxInFlight, until }))
  }

  #drop({ lease }: EndpointQueue): void {
    lease.isClosed = true
    this.#queues.delete(lease.endpointId)
    leasesLost.inc()
  }
}

const isHealthy = ({ health }: EndpointQueue) => health.isHealthy

function isIdle({ lease, buffer, progress, health }: EndpointQueue, now: number): boolean {
  if (lease.isClosed) return true
  return buffer.deliveries.length === 0 && !buffer.hasMore && now - progress.lastUsedAt > (health.isHealthy ? idleReleaseMs : 0)
}
