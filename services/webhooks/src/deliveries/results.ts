import type { JobContext } from '@quittance/runtime/handler'
import { isUnavailable } from '@quittance/runtime/respond'
import { complete, type Completion } from './completion.ts'
import { countAttempt } from './delivery-metrics.ts'
import { keyOf, type Due } from './lane.ts'

/** Deliveries from their beginning until what came of them stands in the table. */
export interface Results {
  begin(due: Due): void
  end(completion: Completion): void
  /** Writes what has ended, all in one statement. What cannot be written because the database is away stays, and is written later. */
  keep(context: JobContext): Promise<void>
  /** Some have ended and are not kept yet. */
  areWaiting(): boolean
  /** Whether it was begun and may still be read as due. */
  isKnown(due: Due): boolean
  /** Forgets what was kept before this moment: for a statement that begins after it, it is not due any more. */
  forgetKept(): void
}

export function createResults(): Results {
  const known = new Set<string>()
  let kept: string[] = []
  let ended: Completion[] = []

  function settle(batch: readonly Completion[]): void {
    for (const { lane, due } of batch) {
      lane.unsettled -= 1
      kept.push(keyOf(due))
    }
  }

  async function keep(context: JobContext): Promise<void> {
    if (ended.length === 0) return
    const batch = ended
    ended = []
    try {
      await write(context, batch)
      settle(batch)
    } catch (error) {
      if (isUnavailable(error)) ended.unshift(...batch)
      else if (batch.length === 1) settle(batch)
      else return keepOneByOne(context, batch)
      throw error
    }
  }

  /** One that cannot be kept must not take the others with it. */
  async function keepOneByOne(context: JobContext, batch: readonly Completion[]): Promise<void> {
    for (const completion of batch) {
      ended.unshift(completion)
      await keep(context).catch((error: unknown) => context.log.error({ err: error, ...named(completion.due) }, 'delivery.result-not-kept'))
    }
  }

  return {
    begin: (due) => void known.add(keyOf(due)),
    end: (completion) => void ended.push(completion),
    keep,
    areWaiting: () => ended.length > 0,
    isKnown: (due) => known.has(keyOf(due)),
    forgetKept() {
      for (const key of kept) known.delete(key)
      kept = []
    },
  }
}

async function write(context: JobContext, batch: readonly Completion[]): Promise<void> {
  const written = await complete(context, batch)
  for (const completion of batch) tell(context, { completion, isKept: written.has(keyOf(completion.due)) })
}

function tell({ log }: JobContext, { completion, isKept }: { completion: Completion; isKept: boolean }): void {
  const { due, outcome, status } = completion
  if (!outcome) return
  countAttempt({ outcome, status })
  const result = { attempt: due.attempts + 1, http_code: outcome.status, reason: outcome.reason, duration_ms: outcome.durationMs, status }
  log[outcome.reason === null ? 'debug' : 'info']({ ...named(due), ...result }, isKept ? 'delivery.attempted' : 'delivery.result-discarded')
}

/** A delivery as logs name it. */
export function named({ event_id, event_type, endpoint_id, organization_id }: Due) {
  return { event_id, event_type, endpoint_id, organization_id }
}
