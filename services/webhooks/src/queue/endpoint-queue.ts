import type { AttemptOutcome } from '../http/post-webhook.ts'
import { CircuitBreaker } from '../policy/circuit-breaker.ts'
import { HealthEstimate, slowMs } from '../policy/health-estimate.ts'
import { RateLimiter } from '../policy/rate-limiter.ts'
import { decideRetry, type RetryDecision } from '../policy/retry.ts'

/** A due delivery with the state of its endpoint at the time of the read. */
export interface DueDelivery {
  event_id: string
  endpoint_id: string
  occurred_at: string
  organization_id: string
  aggregate_id: string
  event_type: string
  round: number
  attempts: number
  payload: string | null
  /** Trace context of the event. */
  traceparent: string | null
  is_test: boolean
  url: string
  rate_limit: number | null
  /** Null if the endpoint is deleted; `is_wanted` is then false too. */
  sealed_secret: string | null
  /** Replaced secrets that have not expired, newest first. */
  sealed_previous: readonly string[]
  is_disabled: boolean
  /** False once the endpoint is deleted or no longer selects the type. */
  is_wanted: boolean
  /** Whether the queue has a later delivery that is due. It was not read if this one is the last: the payloads were too large. */
  has_next: boolean
}

/** A leased row of `webhook_lanes`. */
export interface LeasedQueueRow {
  endpoint_id: string
  epoch: string
  is_proven: boolean
  trips: number
  failures: number
  failed_events: readonly string[]
}

/** Result of a started delivery; without an outcome it ended without a POST. */
export interface AttemptRecord {
  queue: EndpointQueue
  due: DueDelivery
  /** Microseconds of `performance.now()`, unique within the process. The clock of the machine may be corrected by any amount. */
  endedAtUs: number
  outcome: AttemptOutcome | null
  status: RetryDecision['status'] | 'cancelled' | 'held'
  waitMs: number | null
  /** Set if the circuit breaker has opened. */
  pauseMs: number | null
}

/** The lease of a queue. Times are values of `performance.now()`. */
interface Lease {
  endpointId: string
  epoch: string
  /** End of the part of the lease in which POSTs may start. */
  until: number
  /** No POST may start: the lease was lost or released, the circuit breaker is open, or the endpoint returned 410 Gone. */
  isClosed: boolean
}

/** Deliveries that were read but not started. */
interface DeliveryBuffer {
  /** In the order of their due times; valid for `maxReadAgeMs`. */
  deliveries: DueDelivery[]
  /** The end of the read: measured from its start, no delivery could start while the database is slow. */
  readAt: number
  /** Further deliveries may be due. */
  hasMore: boolean
  /** Maximum number of the next read: of large payloads, only few fit into it. */
  maxCount: number
}

/** POSTs in progress and results that are not stored yet. */
interface Progress {
  inFlight: number
  /** Started deliveries whose result is not stored yet. */
  unrecorded: number
  /** The endpoint returned 410 Gone and is not disabled yet. The lease is kept, so that no further POST starts. */
  isGone: boolean
  /** Aggregates with an event in progress, whose next event waits, and the start of its POST as a value of `performance.now()`. */
  busyAggregates: Map<string, number>
  lastUsedAt: number
}

/** A read of due deliveries that has ended. */
interface FinishedRead {
  /** Its maximum number. */
  count: number
  /** Aggregates that it omitted. */
  omitted: readonly string[]
  isStarted(due: DueDelivery): boolean
}

/** Settings of retries and of the circuit breaker. */
export interface RetrySettings {
  /** Seconds before each retry. */
  schedule: readonly number[]
  /** Milliseconds of the first pause of the circuit breaker. */
  basePauseMs: number
}

const internalErrorRetryMs = 30_000

/** Maximum milliseconds between the end of a read and the start of a delivery, because the endpoint or the delivery may change. */
const maxReadAgeMs = 250

/** Deliveries that are read beyond those that fitted into the last read, so that the number grows again with smaller payloads. */
const spareReadCount = 8

/**
 * Queue of one endpoint (table `webhook_lanes`). Only the lease owner has it, so its counters need no shared store. The row keeps those of
 * the circuit breaker for the next lease: at ordinary rates a queue is idle between two events.
 */
export class EndpointQueue {
  readonly lease: Lease
  readonly breaker: CircuitBreaker
  readonly health: HealthEstimate
  readonly limiter = new RateLimiter()
  readonly buffer: DeliveryBuffer = { deliveries: [], readAt: 0, hasMore: true, maxCount: Infinity }
  readonly progress: Progress = { inFlight: 0, unrecorded: 0, isGone: false, busyAggregates: new Map(), lastUsedAt: performance.now() }

  /** `maxInFlight` is the maximum number of concurrent POSTs to one endpoint; the lease ends at `until`. */
  constructor(row: LeasedQueueRow, { maxInFlight, until }: { maxInFlight: number; until: number }) {
    const { endpoint_id: endpointId, epoch, is_proven: isHealthy, trips: openCount, failures, failed_events: failedEvents } = row
    this.lease = { endpointId, epoch, until, isClosed: false }
    this.breaker = new CircuitBreaker({ openCount, failures, failedEvents })
    this.health = new HealthEstimate({ isHealthy, failures, maxLimit: maxInFlight })
  }

  /** Whether due deliveries should be read now. */
  shouldRead(now: number): boolean {
    if (!this.#canSend(now)) return false
    const { deliveries, hasMore, readAt } = this.buffer
    return deliveries.length === 0 ? hasMore : now - readAt > maxReadAgeMs
  }

  /** Aggregates that a read omits because their POST takes long: the events that wait for it must not use up the number of the read. */
  listSlowAggregates(now: number): string[] {
    return [...this.progress.busyAggregates].filter(([, startedAt]) => isSlow(startedAt, now)).map(([aggregateId]) => aggregateId)
  }

  /** Replaces the read deliveries by those of a new read, except those that were started during the read. */
  fill(due: readonly DueDelivery[], { count, omitted, isStarted }: FinishedRead): void {
    const isCut = due.length < count && (due.at(-1)?.has_next ?? false)
    this.buffer.deliveries = due.filter((each) => !isStarted(each))
    this.buffer.readAt = performance.now()
    this.buffer.hasMore = isCut || due.length >= count || omitted.some((aggregateId) => !this.progress.busyAggregates.has(aggregateId))
    this.buffer.maxCount = isCut ? due.length + spareReadCount : Infinity
  }

  /** Removes and returns the next delivery that may start, skipping aggregates with an event in progress. */
  dequeue(now: number): DueDelivery | null {
    const { buffer, progress } = this
    if (!this.#canSend(now) || now - buffer.readAt > maxReadAgeMs) return null
    const index = buffer.deliveries.findIndex(({ aggregate_id }) => !progress.busyAggregates.has(aggregate_id))
    if (index < 0) return null
    const [due] = buffer.deliveries.splice(index, 1) as [DueDelivery]
    progress.busyAggregates.set(due.aggregate_id, now)
    progress.inFlight += 1
    progress.unrecorded += 1
    progress.lastUsedAt = now
    this.limiter.take(now, due.rate_limit)
    return due
  }

  /** Marks a delivery as no longer in progress. */
  release({ aggregate_id }: DueDelivery): void {
    const now = performance.now()
    // Reads may have omitted its next events.
    if (isSlow(this.progress.busyAggregates.get(aggregate_id) ?? now, now)) this.buffer.hasMore = true
    this.progress.busyAggregates.delete(aggregate_id)
    this.progress.inFlight -= 1
    this.progress.lastUsedAt = now
  }

  /** Computes the next state of a delivery from the outcome of its POST, and learns from it about the endpoint. */
  complete(due: DueDelivery, outcome: AttemptOutcome, { schedule, basePauseMs }: RetrySettings): AttemptRecord {
    const decision = decideRetry({
      outcome,
      attemptCount: due.attempts + 1,
      schedule: due.is_test ? [] : schedule,
      random: Math.random(),
      now: new Date(),
    })
    const hasOpened = this.#learn(due, outcome)
    if (outcome.reason === 'gone') this.progress.isGone = true
    if (hasOpened || outcome.reason === 'gone') this.lease.isClosed = true
    const pauseMs = hasOpened ? this.breaker.pauseMs({ baseMs: basePauseMs, random: Math.random() }) : null
    return { ...this.#createRecord(due), outcome, ...decision, pauseMs }
  }

  /** Ends a delivery without a POST: the endpoint is disabled, or the event is not wanted. */
  skip(due: DueDelivery): AttemptRecord {
    return { ...this.#createRecord(due), status: due.is_wanted && due.payload !== null ? 'held' : 'cancelled' }
  }

  /** Postpones a delivery after an internal error; no attempt is used up. */
  fail(due: DueDelivery): AttemptRecord {
    return { ...this.#createRecord(due), status: 'pending', waitMs: internalErrorRetryMs }
  }

  /** Whether nothing is in progress or unrecorded, so that the lease can be released. */
  isSettled(): boolean {
    const { inFlight, unrecorded, isGone } = this.progress
    return inFlight === 0 && unrecorded === 0 && !isGone
  }

  #canSend(now: number): boolean {
    const { lease, health, limiter, progress } = this
    return !lease.isClosed && progress.inFlight < health.limit && limiter.isAvailable(now) && now < lease.until
  }

  /** Returns whether the circuit breaker has opened. A POST that ends afterwards was started before; it changes nothing. */
  #learn({ event_id }: DueDelivery, outcome: AttemptOutcome): boolean {
    if (this.lease.isClosed) return false
    this.health.record(outcome)
    return this.breaker.record(event_id, outcome) === 'opened'
  }

  #createRecord(due: DueDelivery) {
    return { queue: this, due, endedAtUs: nowUs(), outcome: null, waitMs: null, pauseMs: null }
  }
}

/** Whether reads omit the aggregate of a POST that started then. */
const isSlow = (startedAt: number, now: number) => now - startedAt > slowMs

export const deliveryKey = ({ event_id, endpoint_id }: Pick<DueDelivery, 'event_id' | 'endpoint_id'>) => `${event_id} ${endpoint_id}`

let lastUs = 0

/** Returns microseconds of `performance.now()`, unique within the process, so that attempts have an order. */
function nowUs(): number {
  lastUs = Math.max(Math.floor(performance.now() * 1000), lastUs + 1)
  return lastUs
}
