import { randomUUID } from 'node:crypto'
import type { JobContext } from '@quittance/runtime/handler'
import { lanesLost } from './delivery-metrics.ts'
import { openLane, wantsToRead, type Lane, type TakenLane } from './lane.ts'
import { handBackLanes, renewLanes, takeLanes } from './lane-queue.ts'

/** The lanes that this replica holds. */
export interface HeldLanes {
  byEndpoint: ReadonlyMap<string, Lane>
  /** Takes lanes with something due, and looks again at those of its own where something has come in. */
  take(context: JobContext): Promise<void>
  /** Prolongs the leases in good time; lanes that are another's by now are closed. */
  renew(context: JobContext): Promise<void>
  /** Gives back what has nothing to do; all that is at rest when the service stops. */
  handBack(context: JobContext, isStopping?: boolean): Promise<void>
  /** Those that want to read, no more of each pool than there are places for: what is read and not begun soon is read again. */
  wanting(now: number, free: { proven: number; unproven: number }): Lane[]
}

/** Lanes that a replica holds at once; the others' share is theirs even when dead ones are many. */
const most = { proven: 1_000, unproven: 3_000 }
/** Taken at least, however many are held. */
const least = 10
const lingerMs = 2_000
/** Share of the lease in which POSTs begin: results have the rest to come in. */
const certainShare = 0.8

/** `cap` is the most POSTs under way to one endpoint. */
export function createHeldLanes(cap: number): HeldLanes {
  const owner = randomUUID()
  const lanes = new Map<string, Lane>()
  let renewedAt = performance.now()

  function lose(lane: Lane): void {
    lane.isClosed = true
    lanes.delete(lane.endpointId)
    lanesLost.inc()
  }

  function add(taken: TakenLane, heldUntil: number): void {
    const mine = lanes.get(taken.endpoint_id)
    if (mine && mine.epoch === taken.epoch) {
      mine.hasMore = true
      return
    }
    if (mine) lose(mine)
    lanes.set(taken.endpoint_id, { ...openLane(taken, cap), heldUntil })
  }

  return {
    byEndpoint: lanes,
    async take(context) {
      const heldUntil = performance.now() + context.leaseMs * certainShare
      const proven = [...lanes.values()].filter(({ isProven }) => isProven).length
      const room = {
        owner,
        proven: Math.max(most.proven - proven, least),
        unproven: Math.max(most.unproven - (lanes.size - proven), least),
      }
      for (const taken of await takeLanes(context, room)) add(taken, heldUntil)
    },
    async renew(context) {
      const now = performance.now()
      if (lanes.size === 0 || now - renewedAt < context.leaseMs / 3) return
      const held = await renewLanes(context, [...lanes.values()])
      renewedAt = now
      for (const lane of lanes.values()) {
        if (held.has(lane.endpointId)) lane.heldUntil = now + context.leaseMs * certainShare
        else lose(lane)
      }
    },
    async handBack(context, isStopping = false) {
      const now = performance.now()
      const done = [...lanes.values()].filter((lane) => isAtRest(lane) && (isStopping || isIdle(lane, now)))
      if (done.length === 0) return
      for (const lane of done) {
        lane.isClosed = true
        lanes.delete(lane.endpointId)
      }
      await context.transaction(null, ({ rows }) => handBackLanes(rows, done))
    },
    wanting(now, free) {
      const wanting = [...lanes.values()].filter((lane) => wantsToRead(lane, now))
      return [
        ...wanting.filter(({ isProven }) => isProven).slice(0, Math.max(0, free.proven)),
        ...wanting.filter(({ isProven }) => !isProven).slice(0, Math.max(0, free.unproven)),
      ]
    },
  }
}

const isAtRest = (lane: Lane) => lane.inFlight === 0 && lane.unsettled === 0

function isIdle(lane: Lane, now: number): boolean {
  if (lane.isClosed) return true
  return lane.waiting.length === 0 && !lane.hasMore && now - lane.usedAt > (lane.isProven ? lingerMs : 0)
}
