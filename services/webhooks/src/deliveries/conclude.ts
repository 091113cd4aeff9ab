import { config } from '../config.ts'
import type { Outcome } from './attempt.ts'
import type { Completion } from './completion.ts'
import { learn, pauseMs, type Due, type Lane } from './lane.ts'
import { judge } from './verdict.ts'

const afterOurFaultMs = 30_000

interface Ended {
  lane: Lane
  due: Due
  /** Null where no POST was to be made: nobody wants it, or its endpoint is disabled. */
  outcome: Outcome | 'our fault' | null
  /** Most POSTs a lane may have under way. */
  most: number
}

/** What follows from how a delivery ended, for it and for its lane. */
export function conclude({ lane, due, outcome, most }: Ended): Completion {
  const base = { lane, due, endedAtUs: nowUs(), pauseMs: null, waitMs: null }
  if (outcome === null) return { ...base, outcome, status: due.is_wanted && due.payload !== null ? 'held' : 'cancelled' }
  if (outcome === 'our fault') return { ...base, outcome: null, status: 'pending', waitMs: afterOurFaultMs }
  const { RETRY_SCHEDULE_S, BREAKER_PAUSE_MS: baseMs } = config()
  const schedule = due.is_test ? [] : RETRY_SCHEDULE_S
  const verdict = judge({ outcome, tries: due.attempts + 1, schedule, random: Math.random(), now: new Date() })
  // What ends after the breaker has opened was begun before it.
  const opens = !lane.isClosed && learn(lane, { due, outcome, most })
  return { ...base, outcome, ...verdict, pauseMs: opens ? pauseMs(lane.trips, { baseMs, random: Math.random() }) : null }
}

let lastUs = 0

/** Microseconds since 1970; two results of a process never have the same, so attempts have an order. */
function nowUs(): number {
  lastUs = Math.max(Date.now() * 1000, lastUs + 1)
  return lastUs
}
