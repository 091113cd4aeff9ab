import { webhookEventTypes, type WebhookEventFilter, type WebhookEventType } from '@quittance/contracts/webhook-event-types'
import type { Transaction } from '@quittance/runtime/handler'

/** Returns the filters that select a type. */
export function findFilters(type: string): string[] {
  return [type, `${type.split('.')[0]}.*`, '*']
}

function listTypes(filters: readonly WebhookEventFilter[]): WebhookEventType[] {
  return webhookEventTypes.filter((type) => findFilters(type).some((filter) => filters.includes(filter as WebhookEventFilter)))
}

const record = `
  update webhook_endpoints set selected_since = (selected_since - :removed::text[])
    || (select coalesce(jsonb_object_agg(type, date_trunc('milliseconds', now())), '{}') from unnest(:added::text[]) as type)
  where id = :id and organization_id = any (:scope_organizations)`

interface SelectionChange {
  before: readonly WebhookEventFilter[]
  after: readonly WebhookEventFilter[]
}

/** Records from when on the endpoint selects the types that a change adds, by the clock of the database. */
export async function recordSelection({ sql }: Transaction, id: string, { before, after }: SelectionChange): Promise<void> {
  const [known, wanted] = [listTypes(before), listTypes(after)]
  const added = wanted.filter((type) => !known.includes(type))
  const removed = known.filter((type) => !wanted.includes(type))
  if (added.length + removed.length > 0) await sql('endpoint.record-selection', record, { id, added, removed })
}
