/** A lane is the way to one endpoint. One replica at a time holds it, so what is counted here is exact without another store. */
import type { Outcome } from './attempt.ts'

/** A delivery that is due, with its endpoint as it was when it was read. */
export interface Due {
  event_id: string
  endpoint_id: string
  occurred_at: string
  organization_id: string
  aggregate_id: string
  event_type: string
  round: number
  attempts: number
  payload: string | null
  /** Of the event, as it was heard. */
  traceparent: string | null
  is_test: boolean
  url: string
  rate_limit: number | null
  /** Of a deleted endpoint there is none; it is not wanted either. */
  sealed_secret: string | null
  /** Newest first, those that have not expired. */
  sealed_previous: readonly string[]
  is_disabled: boolean
  /** False once the endpoint is deleted or has unselected the type. */
  is_wanted: boolean
}

/** A lane as it is taken from the table. */
export interface TakenLane {
  endpoint_id: string
  epoch: string
  is_proven: boolean
  trips: number
}

export interface Lane {
  endpointId: string
  epoch: string
  /** The last try succeeded, and quickly: such lanes have places that others cannot take. */
  isProven: boolean
  /** How often the breaker has opened since the last success. */
  trips: number
  /** Most POSTs under way. */
  cap: number
  inFlight: number
  /** Deliveries that were begun and whose result is not kept yet. */
  unsettled: number
  /** Failures in a row that speak of the endpoint, not of one event; and at which events. */
  troubles: number
  troubled: Set<string>
  /** Mean of what its answers take, newer ones weighing more. */
  latencyMs: number
  /** Aggregates whose event is under way: the next one waits for it. */
  busy: Set<string>
  /** Read and not begun; fresh for a moment only. */
  waiting: Due[]
  readAt: number
  /** There may be more that is due. */
  hasMore: boolean
  /** As `performance.now()`: when it may send again under its rate limit, when it was last used, and until when it is held for certain. */
  freeAt: number
  usedAt: number
  heldUntil: number
  /** No POST begins any more: it was lost, paused, or its endpoint is gone. */
  isClosed: boolean
}

const troublesToOpen = 5
const deliveriesToOpen = 3
const troublesToDoubt = 3
const slowMs = 2_000

export function openLane({ endpoint_id, epoch, is_proven, trips }: TakenLane, most: number): Lane {
  return {
    endpointId: endpoint_id,
    epoch,
    isProven: is_proven,
    trips,
    cap: is_proven ? most : 1,
    inFlight: 0,
    unsettled: 0,
    troubles: 0,
    troubled: new Set(),
    latencyMs: 0,
    busy: new Set(),
    waiting: [],
    readAt: 0,
    hasMore: true,
    freeAt: 0,
    usedAt: performance.now(),
    heldUntil: 0,
    isClosed: false,
  }
}

export const keyOf = ({ event_id, endpoint_id }: Pick<Due, 'event_id' | 'endpoint_id'>) => `${event_id} ${endpoint_id}`

/** Longest time in milliseconds between reading a delivery and beginning it: its endpoint may change, and so may it. */
const freshMs = 250
/** How far a rate limit may be made up for when a place came late. */
const catchUpMs = 20

/** Whether a POST may begin, if there is one. */
export function isFree(lane: Lane, now: number): boolean {
  return !lane.isClosed && lane.inFlight < lane.cap && lane.freeAt <= now && now < lane.heldUntil
}

/** Whether it is time to read what is due. */
export function wantsToRead(lane: Lane, now: number): boolean {
  if (!isFree(lane, now)) return false
  return lane.waiting.length === 0 ? lane.hasMore : now - lane.readAt > freshMs
}

/** Takes the next delivery that may begin now: none of an aggregate that is under way. */
export function takeNext(lane: Lane, now: number): Due | null {
  if (!isFree(lane, now) || now - lane.readAt > freshMs) return null
  const index = lane.waiting.findIndex(({ aggregate_id }) => !lane.busy.has(aggregate_id))
  if (index < 0) return null
  const [due] = lane.waiting.splice(index, 1) as [Due]
  lane.busy.add(due.aggregate_id)
  lane.inFlight += 1
  lane.unsettled += 1
  lane.usedAt = now
  if (due.rate_limit) lane.freeAt = Math.max(lane.freeAt, now - catchUpMs) + 1000 / due.rate_limit
  return due
}

/** Says that a delivery is not under way any more. */
export function giveBack(lane: Lane, { aggregate_id }: Due): void {
  lane.busy.delete(aggregate_id)
  lane.inFlight -= 1
  lane.usedAt = performance.now()
}

/** Whether a failure speaks of the endpoint: no answer, an overload, a fault. Other refusals speak of one event. */
export function isTrouble({ reason, status }: Outcome): boolean {
  if (reason === null || reason === 'gone') return false
  return reason !== 'http_status' || status === 429 || (status ?? 0) >= 500
}

/** Learns from a result. True when the breaker opens: then nothing is tried for a while, and no try is used up. */
export function learn(lane: Lane, { due, outcome, most }: { due: Due; outcome: Outcome; most: number }): boolean {
  lane.latencyMs += (outcome.durationMs - lane.latencyMs) / 5
  if (outcome.reason === null) {
    lane.trips = 0
    forgive(lane)
    lane.isProven = lane.latencyMs <= slowMs
    lane.cap = lane.isProven ? Math.min(most, lane.cap >= 4 ? most : lane.cap * 2) : Math.min(most, 2)
    return false
  }
  if (!isTrouble(outcome)) {
    forgive(lane)
    return false
  }
  lane.troubles += 1
  lane.troubled.add(due.event_id)
  if (outcome.reason === 'timeout' || lane.troubles >= troublesToDoubt) doubt(lane)
  // While it is on trial one failure is enough.
  const opens = lane.trips > 0 || (lane.troubles >= troublesToOpen && lane.troubled.size >= deliveriesToOpen)
  if (opens) {
    lane.trips += 1
    forgive(lane)
  }
  return opens
}

/** It may be dead: it leaves the places of those that are not. */
export function doubt(lane: Lane): void {
  lane.isProven = false
  lane.cap = 1
}

function forgive(lane: Lane): void {
  lane.troubles = 0
  lane.troubled.clear()
}

/** Milliseconds the breaker stays open; `random` between 0 and 1. */
export function pauseMs(trips: number, { baseMs, random }: { baseMs: number; random: number }): number {
  return Math.round(Math.min(baseMs * 2 ** (trips - 1), baseMs * 30) * (0.8 + 0.4 * random))
}
