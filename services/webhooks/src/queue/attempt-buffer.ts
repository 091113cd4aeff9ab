import type { JobContext } from '@quittance/runtime/handler'
import { isTransientDatabaseError } from '@quittance/runtime/unavailable'
import { recordAttempts } from './record-attempts.ts'
import { countAttempt } from './delivery-metrics.ts'
import { deliveryKey, type AttemptRecord, type DueDelivery } from './endpoint-queue.ts'

/** Tracks deliveries from the start of the POST until their result is stored. */
export interface AttemptBuffer {
  begin(due: DueDelivery): void
  end(record: AttemptRecord): void
  /** Writes all ended deliveries in one statement. If the database is unavailable or too slow, they stay in the buffer and are written later. */
  save(context: JobContext): Promise<void>
  /** Whether ended deliveries wait to be stored. */
  hasUnsaved(): boolean
  /** Whether the delivery was started and a read may still return it as due. */
  isKnown(due: DueDelivery): boolean
  /** Events of these deliveries of an endpoint. */
  listKnown(endpointId: string): readonly string[]
  /** Removes deliveries stored before this call: a statement that starts later no longer reads them as due. */
  forgetSaved(): void
}

export function createAttemptBuffer(): AttemptBuffer {
  /** Events by endpoint. */
  const known = new Map<string, Set<string>>()
  let saved: DueDelivery[] = []
  let ended: AttemptRecord[] = []

  function markSaved(batch: readonly AttemptRecord[]): void {
    for (const { queue, due } of batch) {
      queue.progress.unrecorded -= 1
      saved.push(due)
    }
  }

  async function save(context: JobContext): Promise<void> {
    if (ended.length === 0) return
    const batch = ended
    ended = []
    try {
      await recordBatch(context, batch)
      markSaved(batch)
    } catch (error) {
      // Not the fault of a record: a disk that stalls ends statements by their time.
      if (isTransientDatabaseError(error)) ended.unshift(...batch)
      else if (batch.length === 1) markSaved(batch)
      else return saveOneByOne(context, batch)
      throw error
    }
  }

  /** Isolates a record that cannot be stored, so that it does not block the others. */
  async function saveOneByOne(context: JobContext, batch: readonly AttemptRecord[]): Promise<void> {
    for (const record of batch) {
      ended.unshift(record)
      await save(context).catch((error: unknown) =>
        context.log.error({ err: error, ...deliveryLogFields(record.due) }, 'delivery.result-not-saved'),
      )
    }
  }

  return {
    begin({ endpoint_id, event_id }) {
      const events = known.get(endpoint_id)
      if (events) events.add(event_id)
      else known.set(endpoint_id, new Set([event_id]))
    },
    end: (record) => void ended.push(record),
    save,
    hasUnsaved: () => ended.length > 0,
    isKnown: ({ endpoint_id, event_id }) => known.get(endpoint_id)?.has(event_id) ?? false,
    listKnown: (endpointId) => [...(known.get(endpointId) ?? [])],
    forgetSaved() {
      for (const { endpoint_id, event_id } of saved) {
        const events = known.get(endpoint_id)
        events?.delete(event_id)
        if (events?.size === 0) known.delete(endpoint_id)
      }
      saved = []
    },
  }
}

async function recordBatch(context: JobContext, batch: readonly AttemptRecord[]): Promise<void> {
  const written = await recordAttempts(context, batch)
  for (const record of batch) logAttempt(context, { record, isRecorded: written.has(deliveryKey(record.due)) })
}

function logAttempt({ log }: JobContext, { record, isRecorded }: { record: AttemptRecord; isRecorded: boolean }): void {
  const { due, outcome, status } = record
  if (!outcome) return
  countAttempt({ outcome, status })
  const result = { attempt: due.attempts + 1, http_code: outcome.status, reason: outcome.reason, duration_ms: outcome.durationMs, status }
  log[outcome.reason === null ? 'debug' : 'info'](
    { ...deliveryLogFields(due), ...result },
    isRecorded ? 'delivery.attempted' : 'delivery.result-stale',
  )
}

/** Returns the log fields of a delivery. */
export function deliveryLogFields({ event_id, event_type, endpoint_id, organization_id }: DueDelivery) {
  return { event_id, event_type, endpoint_id, organization_id }
}
