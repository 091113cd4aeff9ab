import { randomUUID } from 'node:crypto'
import type { JobContext } from '@quittance/runtime/handler'
import { isUnavailable } from '@quittance/runtime/respond'
import { config } from '../config.ts'
import { disableEndpoint } from '../endpoints/disable-endpoint.ts'
import { complete, type Completion } from './completion.ts'
import { conclude } from './conclude.ts'
import { countAttempt, lanesLost } from './delivery-metrics.ts'
import { doubt, giveBack, keyOf, openLane, takeNext, wantsToRead, type Due, type Lane } from './lane.ts'
import { handBackLanes, readDue, renewLanes, takeLanes } from './lane-queue.ts'
import { send } from './send.ts'
import { createSlots, type Slots } from './slots.ts'

/** Sends what is due on the lanes that this replica holds. */
export interface Dispatcher {
  /** Keeps results, takes lanes, reads, and begins POSTs; these go on beside it. True when there is more to do at once. */
  run(context: JobContext): Promise<boolean>
  /** Lets what is under way end, keeps it, and gives the lanes back. */
  close(): Promise<void>
  lanes(): ReadonlyMap<string, Lane>
  slots: Slots
}

/** Lanes that a replica holds at once; the others' share is theirs even when dead ones are many. */
const mostLanes = { proven: 1_000, unproven: 3_000 }
const mostReadAtOnce = 2_000
const lingerMs = 2_000
const sweepMs = 50
/** Longest time a stop waits for POSTs; they are given up then, and nothing is noted of them: the lease does the rest. */
const stopWithinMs = 15_000

export function createDispatcher(): Dispatcher {
  const { MAX_IN_FLIGHT, ENDPOINT_MAX_IN_FLIGHT: most } = config()
  const owner = randomUUID()
  const lanes = new Map<string, Lane>()
  const slots = createSlots(MAX_IN_FLIGHT)
  /** Under way, or ended and not kept yet. */
  const known = new Set<string>()
  const underWay = new Set<Promise<void>>()
  const giveUp = new AbortController()
  let settled: string[] = []
  let ended: Completion[] = []
  let gone = new Set<Due>()
  let renewedAt = performance.now()
  let context: JobContext | null = null
  const sweeping = setInterval(sweep, sweepMs)

  function sweep(): void {
    for (const lane of slots.sweep()) doubt(lane)
    // Places may have become free, and rate limits may allow one more.
    pump()
  }

  /** One of each lane in turn, so that none takes all the places that are free. */
  function pump(): void {
    if (!context || context.stopping()) return
    let isAnyLeft = true
    while (isAnyLeft) {
      isAnyLeft = false
      for (const lane of lanes.values()) if (lane.waiting.length > 0 && begin(lane)) isAnyLeft = true
    }
  }

  function begin(lane: Lane): boolean {
    if (!context || context.stopping() || !slots.hasRoom(lane)) return false
    const due = takeNext(lane, performance.now())
    if (!due) return false
    known.add(keyOf(due))
    const work = deliver(context, { lane, due }).finally(() => underWay.delete(work))
    underWay.add(work)
    return true
  }

  async function deliver(within: JobContext, { lane, due }: { lane: Lane; due: Due }): Promise<void> {
    const ticket = slots.begin(lane)
    try {
      const outcome = due.is_wanted && !due.is_disabled && due.payload !== null ? await send(due, giveUp.signal) : null
      const completion = conclude({ lane, due, outcome, most })
      if (outcome?.reason === 'gone') gone.add(due)
      if (lane.isClosed || completion.pauseMs !== null || outcome?.reason === 'gone') lane.isClosed = true
      ended.push(completion)
    } catch (error) {
      if (giveUp.signal.aborted) return
      within.log.error({ err: error, ...named(due) }, 'delivery.not-completed')
      ended.push(conclude({ lane, due, outcome: 'our fault', most }))
    } finally {
      slots.end(ticket)
      giveBack(lane, due)
      begin(lane)
      within.ring()
    }
  }

  async function keep(within: JobContext): Promise<void> {
    if (ended.length === 0) return
    const batch = ended
    ended = []
    try {
      const kept = await complete(within, batch)
      for (const completion of batch) tell(within, { completion, isKept: kept.has(keyOf(completion.due)) })
    } catch (error) {
      if (isUnavailable(error) || batch.length === 1) {
        if (isUnavailable(error)) ended.unshift(...batch)
        else settle(batch)
        throw error
      }
      // One that cannot be kept must not take the others with it.
      for (const completion of batch) {
        ended.unshift(completion)
        await keep(within).catch((cause: unknown) => within.log.error({ err: cause, ...named(completion.due) }, 'delivery.result-not-kept'))
      }
      return
    }
    settle(batch)
  }

  function settle(batch: readonly Completion[]): void {
    for (const { lane, due } of batch) {
      lane.unsettled -= 1
      settled.push(keyOf(due))
    }
  }

  async function renew(within: JobContext): Promise<void> {
    const now = performance.now()
    if (lanes.size === 0 || now - renewedAt < within.leaseMs / 3) return
    const held = await renewLanes(within, [...lanes.values()])
    renewedAt = now
    for (const lane of lanes.values()) {
      if (held.has(lane.endpointId)) lane.heldUntil = now + within.leaseMs * 0.8
      else lose(lane)
    }
  }

  function lose(lane: Lane): void {
    lane.isClosed = true
    lanes.delete(lane.endpointId)
    lanesLost.inc()
  }

  async function take(within: JobContext): Promise<void> {
    const now = performance.now()
    const proven = [...lanes.values()].filter(({ isProven }) => isProven).length
    const room = { owner, proven: mostLanes.proven - proven, unproven: mostLanes.unproven - (lanes.size - proven) }
    for (const taken of await takeLanes(within, { ...room, proven: Math.max(room.proven, 10), unproven: Math.max(room.unproven, 10) })) {
      const mine = lanes.get(taken.endpoint_id)
      if (mine && mine.epoch === taken.epoch) {
        mine.hasMore = true
        continue
      }
      if (mine) lose(mine)
      const lane = openLane(taken, most)
      lane.heldUntil = now + within.leaseMs * 0.8
      lanes.set(lane.endpointId, lane)
    }
  }

  /** No more than there are places for: what is read and not begun soon is read again. */
  function wantingLanes(now: number): Lane[] {
    const free = slots.free()
    const wanting = [...lanes.values()].filter((lane) => wantsToRead(lane, now))
    return [
      ...wanting.filter(({ isProven }) => isProven).slice(0, Math.max(0, free.proven)),
      ...wanting.filter(({ isProven }) => !isProven).slice(0, Math.max(0, free.unproven)),
    ]
  }

  async function read(within: JobContext): Promise<void> {
    const now = performance.now()
    const wanting = wantingLanes(now)
    if (wanting.length === 0) return
    // What was kept before this moment is not due any more for a statement that begins after it.
    for (const key of settled) known.delete(key)
    settled = []
    const each = Math.max(8, Math.min(200, Math.floor(mostReadAtOnce / wanting.length)))
    const asked = wanting.map((lane) => ({ lane, count: lane.unsettled + (lane.isProven ? each : 2) }))
    const byLane = Map.groupBy(await readDue(within, asked), ({ endpoint_id }) => endpoint_id)
    for (const { lane, count } of asked) {
      const due = byLane.get(lane.endpointId) ?? []
      lane.hasMore = due.length >= count
      lane.waiting = due.filter((row) => !known.has(keyOf(row)))
      lane.readAt = now
    }
  }

  async function handBack(within: JobContext, isStopping = false): Promise<void> {
    const now = performance.now()
    const done = [...lanes.values()].filter((lane) => lane.inFlight === 0 && lane.unsettled === 0 && (isStopping || isIdle(lane, now)))
    if (done.length === 0) return
    for (const lane of done) {
      lane.isClosed = true
      lanes.delete(lane.endpointId)
    }
    await within.transaction(null, ({ rows }) => handBackLanes(rows, done))
  }

  async function disableGone(within: JobContext): Promise<void> {
    const endpoints = gone
    gone = new Set()
    for (const due of endpoints) {
      await within.transaction(due.organization_id, (transaction) => disableEndpoint(transaction, { id: due.endpoint_id, reason: 'gone' }))
    }
  }

  return {
    slots,
    lanes: () => lanes,
    async run(given) {
      context = given
      await keep(given)
      await disableGone(given)
      await renew(given)
      await handBack(given)
      await take(given)
      await read(given)
      pump()
      const now = performance.now()
      return ended.length > 0 || [...lanes.values()].some((lane) => wantsToRead(lane, now) && slots.hasRoom(lane))
    },
    async close() {
      clearInterval(sweeping)
      const timer = setTimeout(() => giveUp.abort(), stopWithinMs)
      await Promise.all(underWay)
      clearTimeout(timer)
      if (!context) return
      await keep(context)
      await disableGone(context)
      await handBack(context, true)
    },
  }
}

function isIdle(lane: Lane, now: number): boolean {
  if (lane.isClosed) return true
  return lane.waiting.length === 0 && !lane.hasMore && now - lane.usedAt > (lane.isProven ? lingerMs : 0)
}

function named({ event_id, event_type, endpoint_id, organization_id }: Due) {
  return { event_id, event_type, endpoint_id, organization_id }
}

function tell({ log }: JobContext, { completion, isKept }: { completion: Completion; isKept: boolean }): void {
  const { due, outcome, status } = completion
  if (!outcome) return
  countAttempt({ outcome, status })
  const result = { attempt: due.attempts + 1, http_code: outcome.status, reason: outcome.reason, duration_ms: outcome.durationMs, status }
  log[outcome.reason === null ? 'debug' : 'info']({ ...named(due), ...result }, isKept ? 'delivery.attempted' : 'delivery.result-discarded')
}
