import { type JobContext, job } from '@quittance/runtime/handler'
import type { ServiceComponent, ServiceResources } from '@quittance/runtime/service'
import { config } from '../config.ts'
import { disableEndpoint } from '../endpoints/disable-endpoint.ts'
import { disableFailingEndpoints } from '../endpoints/disable-failing-endpoints.ts'
import type { AttemptOutcome } from '../http/post-webhook.ts'
import { deliveryJobName } from '../job-names.ts'
import { createConcurrencyPools, type ConcurrencyPools } from '../policy/concurrency-pools.ts'
import { createAttemptBuffer, deliveryLogFields } from './attempt-buffer.ts'
import { registerDeliveryGauges } from './delivery-metrics.ts'
import type { AttemptRecord, DueDelivery, EndpointQueue, RetrySettings } from './endpoint-queue.ts'
import { LeasedQueues } from './leased-queues.ts'
import { readDueDeliveries } from './queue-store.ts'
import { sendDelivery } from './send-delivery.ts'

const maxReadCount = 2_000
/** Also the precision of rate limits. */
const sweepMs = 10
/** Timeout of a stop for POSTs in progress. Afterwards they are aborted without a record; the delivery is sent again after lease expiry. */
const stopTimeoutMs = 15_000

const disableRetryMs = 1_000

interface GoneEndpoint {
  organizationId: string
  /** The URL that returned 410. */
  url: string
  /** Whether the result of the POST is stored. Before, the result would wait for the batch that holds the deliveries of the endpoint. */
  isRecorded: boolean
  /** Value of `performance.now()` before which it is not tried again. */
  retryAt: number
}

/** Sends the due deliveries of the endpoint queues that this replica has leased. */
export class Dispatcher {
  readonly pools: ConcurrencyPools<EndpointQueue>
  readonly #queues: LeasedQueues
  readonly #retrySettings: RetrySettings
  readonly #attempts = createAttemptBuffer()
  readonly #inFlight = new Set<Promise<void>>()
  readonly #abortController = new AbortController()
  /** Set while there are queues or POSTs in progress. */
  #sweepTimer: NodeJS.Timeout | null = null
  /** Queues of endpoints that returned 410 Gone and are not disabled yet. */
  readonly #gone = new Map<EndpointQueue, GoneEndpoint>()
  /** Set while they are being disabled. */
  #disabling: Promise<void> | null = null
  #context: JobContext | null = null

  constructor() {
    const settings = config()
    this.pools = createConcurrencyPools(settings.MAX_IN_FLIGHT)
    this.#queues = new LeasedQueues(settings.ENDPOINT_MAX_IN_FLIGHT)
    this.#retrySettings = { schedule: settings.RETRY_SCHEDULE_S, basePauseMs: settings.BREAKER_PAUSE_MS }
  }

  get queues(): ReadonlyMap<string, EndpointQueue> {
    return this.#queues.byEndpoint
  }

  /**
   * Stores results, leases queues, reads due deliveries and starts POSTs, which continue after the return, as does the disabling of
   * endpoints. Returns true if more work is due now.
   */
  async run(context: JobContext): Promise<boolean> {
    this.#context = context
    await this.#record(context)
    await this.#lease(context)
    if (this.queues.size > 0) this.#sweepTimer ??= setInterval(() => this.#sweep(), sweepMs).unref()
    await this.#read(context)
    this.#send()
    const now = performance.now()
    return this.#attempts.hasUnsaved() || [...this.queues.values()].some((queue) => queue.shouldRead(now) && this.pools.hasCapacity(queue))
  }

  /** Waits for POSTs in progress, stores their results and releases the leases. */
  async close(): Promise<void> {
    this.#stopSweeping()
    const timer = setTimeout(() => this.#abortController.abort(), stopTimeoutMs)
    await Promise.all(this.#inFlight)
    clearTimeout(timer)
    if (!this.#context) return
    await this.#record(this.#context)
    await this.#disabling
    await this.#queues.release(this.#context, true)
  }

  /** Stores the results of ended POSTs, then starts to disable endpoints that returned 410 Gone: no other endpoint waits for that. */
  async #record(context: JobContext): Promise<void> {
    const gone = [...this.#gone.values()]
    await this.#attempts.save(context)
    for (const endpoint of gone) endpoint.isRecorded = true
    if (gone.length > 0) this.#disabling ??= this.#disableGone(context).finally(() => (this.#disabling = null))
  }

  /** Disables one endpoint after the other. One that fails is tried again later, and gets no POST until then. */
  async #disableGone(context: JobContext): Promise<void> {
    for (const [queue, endpoint] of this.#gone) {
      if (!endpoint.isRecorded || performance.now() < endpoint.retryAt) continue
      const { organizationId, url } = endpoint
      const id = queue.lease.endpointId
      try {
        await context.transaction(organizationId, (transaction) => disableEndpoint(transaction, { id, reason: 'gone', url }))
        this.#gone.delete(queue)
        queue.progress.isGone = false
        context.runAgain()
      } catch (error) {
        context.log.error({ err: error, endpoint_id: id, organization_id: organizationId }, 'endpoint.not-disabled')
        endpoint.retryAt = performance.now() + disableRetryMs
      }
    }
  }

  async #lease(context: JobContext): Promise<void> {
    await this.#queues.renew(context)
    await this.#queues.release(context)
    await this.#queues.lease(context)
  }

  /** Reads due deliveries into the queues that can start a POST. Filters out those that were started during the read. */
  async #read(context: JobContext): Promise<void> {
    const ready = this.#queues.readyToRead(performance.now(), this.pools.available())
    if (ready.length === 0) return
    this.#attempts.forgetSaved()
    const perQueue = Math.max(8, Math.min(200, Math.floor(maxReadCount / ready.length)))
    const requests = ready.map((queue) => ({
      queue,
      count: queue.health.isHealthy ? Math.min(perQueue, queue.buffer.maxCount) : 2,
      started: this.#attempts.listKnown(queue.lease.endpointId),
      omitted: queue.listSlowAggregates(performance.now()),
    }))
    const dueByEndpoint = Map.groupBy(await readDueDeliveries(context, requests), ({ endpoint_id }) => endpoint_id)
    for (const { queue, count, omitted } of requests) {
      const due = dueByEndpoint.get(queue.lease.endpointId) ?? []
      queue.fill(due, { count, omitted, isStarted: this.#attempts.isKnown })
    }
  }

  /** Starts one POST per queue in turn, so that no queue takes all free permits. */
  #send(): void {
    let hasStarted = true
    while (hasStarted) {
      hasStarted = false
      for (const queue of this.queues.values()) if (queue.buffer.deliveries.length > 0 && this.#start(queue)) hasStarted = true
    }
  }

  #stopSweeping(): void {
    if (this.#sweepTimer) clearInterval(this.#sweepTimer)
    this.#sweepTimer = null
  }

  #sweep(): void {
    if (this.queues.size === 0 && this.#inFlight.size === 0) return this.#stopSweeping()
    for (const queue of this.pools.sweep()) queue.health.slowDown()
    // Permits may be free again, and rate limits may allow another POST.
    this.#send()
    const now = performance.now()
    const isWaiting = (queue: EndpointQueue) => queue.limiter.isLimiting && queue.shouldRead(now) && this.pools.hasCapacity(queue)
    // The next run would be too late: a rate limit catches up with half a second at most.
    if (this.#context && [...this.queues.values()].some(isWaiting)) this.#context.runAgain()
  }

  #start(queue: EndpointQueue): boolean {
    const context = this.#context
    if (!context || context.isStopping() || !this.pools.hasCapacity(queue)) return false
    const due = queue.dequeue(performance.now())
    if (!due) return false
    this.#attempts.begin(due)
    const work = this.#deliver(context, { queue, due }).finally(() => this.#inFlight.delete(work))
    this.#inFlight.add(work)
    return true
  }

  async #deliver(context: JobContext, { queue, due }: { queue: EndpointQueue; due: DueDelivery }): Promise<void> {
    const permit = this.pools.acquire(queue)
    try {
      const isSent = due.is_wanted && !due.is_disabled && due.payload !== null
      this.#attempts.end(isSent ? this.#complete({ queue, due }, await sendDelivery(due, this.#abortController.signal)) : queue.skip(due))
    } catch (error) {
      if (this.#abortController.signal.aborted) return
      context.log.error({ err: error, ...deliveryLogFields(due) }, 'delivery.attempt-error')
      this.#attempts.end(queue.fail(due))
    } finally {
      this.pools.release(permit)
      queue.release(due)
      this.#start(queue)
      context.runAgain()
    }
  }

  #complete({ queue, due }: { queue: EndpointQueue; due: DueDelivery }, outcome: AttemptOutcome): AttemptRecord {
    if (outcome.reason === 'gone' && !this.#gone.has(queue))
      this.#gone.set(queue, { organizationId: due.organization_id, url: due.url, isRecorded: false, retryAt: 0 })
    return queue.complete(due, outcome, this.#retrySettings)
  }
}

/** Polling interval. No wake-up announces a due retry or that a leased queue can be read again. */
const pollIntervalMs = ({ queues }: Dispatcher) => (queues.size > 0 ? 200 : 1_000)

/** Starts the dispatcher of this replica, the job that runs it and the job that disables failing endpoints. */
export async function startDispatcher({ database }: ServiceResources): Promise<ServiceComponent> {
  const dispatcher = new Dispatcher()
  if (database) registerDeliveryGauges(dispatcher, database)
  return {
    name: 'dispatcher',
    close: () => dispatcher.close(),
    jobs: [
      job({ name: deliveryJobName, everyMs: () => pollIntervalMs(dispatcher), run: (context) => dispatcher.run(context) }),
      disableFailingEndpoints(),
    ],
  }
}
