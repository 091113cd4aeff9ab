import type { Lane } from './lane.ts'

/**
 * Places for POSTs under way, in two pools: lanes that have proven themselves keep three quarters, all others share the rest. A POST
 * without an answer is soon parked: it costs a socket and no work, and its place is another's.
 */
export interface Slots {
  /** Whether a POST of this lane may begin. */
  hasRoom(lane: Lane): boolean
  /** Places that are free. */
  free(): { proven: number; unproven: number }
  begin(lane: Lane): Ticket
  end(ticket: Ticket): void
  /** Parks what has no answer, and doubts lanes that keep one waiting. Gives the lanes it doubted. */
  sweep(): Lane[]
  used(): Record<Pool, number>
}

export type Pool = 'proven' | 'unproven' | 'parked'

/** A POST under way. */
export interface Ticket {
  lane: Lane
  pool: Pool
  since: number
}

const provenShare = 0.75
const parkAfterMs = 250
const doubtAfterMs = 1_000
/** Places to park in, for each place to work in. */
const parkingSpaces = 4

export function createSlots(most: number): Slots {
  const limits = {
    proven: Math.ceil(most * provenShare),
    unproven: Math.max(1, Math.floor(most * (1 - provenShare))),
    parked: most * parkingSpaces,
  }
  const used: Record<Pool, number> = { proven: 0, unproven: 0, parked: 0 }
  /** In the order in which they began. */
  const tickets = new Set<Ticket>()

  function move(ticket: Ticket, pool: Pool): void {
    used[ticket.pool] -= 1
    used[pool] += 1
    ticket.pool = pool
  }

  function settle(ticket: Ticket, ageMs: number): void {
    if (ticket.pool === 'proven' && ageMs < doubtAfterMs) return
    if (used.parked < limits.parked) move(ticket, 'parked')
    else if (ticket.pool === 'proven') move(ticket, 'unproven')
  }

  return {
    hasRoom: ({ isProven }) => (isProven ? used.proven < limits.proven : used.unproven < limits.unproven),
    free: () => ({ proven: limits.proven - used.proven, unproven: limits.unproven - used.unproven }),
    begin(lane) {
      const ticket: Ticket = { lane, pool: lane.isProven ? 'proven' : 'unproven', since: performance.now() }
      used[ticket.pool] += 1
      tickets.add(ticket)
      return ticket
    },
    end(ticket) {
      if (tickets.delete(ticket)) used[ticket.pool] -= 1
    },
    sweep() {
      const now = performance.now()
      const late = new Set<Lane>()
      for (const ticket of tickets) {
        const ageMs = now - ticket.since
        if (ageMs < parkAfterMs) break
        settle(ticket, ageMs)
        if (ageMs >= doubtAfterMs && ticket.lane.isProven) late.add(ticket.lane)
      }
      return [...late]
    },
    used: () => ({ ...used }),
  }
}
