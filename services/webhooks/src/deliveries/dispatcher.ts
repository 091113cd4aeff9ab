import type { JobContext } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { disableEndpoint } from '../endpoints/disable-endpoint.ts'
import { conclude } from './conclude.ts'
import { createHeldLanes, type HeldLanes } from './held-lanes.ts'
import { doubt, giveBack, takeNext, wantsToRead, type Due, type Lane } from './lane.ts'
import { readDue } from './lane-queue.ts'
import { createResults, named, type Results } from './results.ts'
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

const mostReadAtOnce = 2_000
const sweepMs = 50
/** Longest time a stop waits for POSTs; they are given up then, and nothing is noted of them: the lease does the rest. */
const stopWithinMs = 15_000

export function createDispatcher(): Dispatcher {
  const { MAX_IN_FLIGHT, ENDPOINT_MAX_IN_FLIGHT: most } = config()
  const lanes = createHeldLanes(most)
  const slots = createSlots(MAX_IN_FLIGHT)
  const results = createResults()
  const underWay = new Set<Promise<void>>()
  const giveUp = new AbortController()
  let gone = new Set<Due>()
  let context: JobContext | null = null
  const sweeping = setInterval(sweep, sweepMs)

  function sweep(): void {
    for (const lane of slots.sweep()) doubt(lane)
    // Places may have become free, and rate limits may allow one more.
    pump()
  }

  /** One of each lane in turn, so that none takes all the places that are free. */
  function pump(): void {
    let isAnyLeft = true
    while (isAnyLeft) {
      isAnyLeft = false
      for (const lane of lanes.byEndpoint.values()) if (lane.waiting.length > 0 && begin(lane)) isAnyLeft = true
    }
  }

  function begin(lane: Lane): boolean {
    if (!context || context.stopping() || !slots.hasRoom(lane)) return false
    const due = takeNext(lane, performance.now())
    if (!due) return false
    results.begin(due)
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
      if (completion.pauseMs !== null || outcome?.reason === 'gone') lane.isClosed = true
      results.end(completion)
    } catch (error) {
      if (giveUp.signal.aborted) return
      within.log.error({ err: error, ...named(due) }, 'delivery.not-completed')
      results.end(conclude({ lane, due, outcome: 'our fault', most }))
    } finally {
      slots.end(ticket)
      giveBack(lane, due)
      begin(lane)
      within.ring()
    }
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
    lanes: () => lanes.byEndpoint,
    async run(given) {
      context = given
      await results.keep(given)
      await disableGone(given)
      await lanes.renew(given)
      await lanes.handBack(given)
      await lanes.take(given)
      await read(given, { lanes, slots, results })
      pump()
      const now = performance.now()
      return results.areWaiting() || [...lanes.byEndpoint.values()].some((lane) => wantsToRead(lane, now) && slots.hasRoom(lane))
    },
    async close() {
      clearInterval(sweeping)
      const timer = setTimeout(() => giveUp.abort(), stopWithinMs)
      await Promise.all(underWay)
      clearTimeout(timer)
      if (!context) return
      await results.keep(context)
      await disableGone(context)
      await lanes.handBack(context, true)
    },
  }
}

/** Reads what is due on lanes that can begin something, and lets it wait there; what is under way is among what is read. */
async function read(context: JobContext, { lanes, slots, results }: { lanes: HeldLanes; slots: Slots; results: Results }): Promise<void> {
  const now = performance.now()
  const wanting = lanes.wanting(now, slots.free())
  if (wanting.length === 0) return
  results.forgetKept()
  const each = Math.max(8, Math.min(200, Math.floor(mostReadAtOnce / wanting.length)))
  const asked = wanting.map((lane) => ({ lane, count: lane.unsettled + (lane.isProven ? each : 2) }))
  const byLane = Map.groupBy(await readDue(context, asked), ({ endpoint_id }) => endpoint_id)
  for (const { lane, count } of asked) {
    const due = byLane.get(lane.endpointId) ?? []
    lane.hasMore = due.length >= count
    lane.waiting = due.filter((row) => !results.isKnown(row))
    lane.readAt = now
  }
}
