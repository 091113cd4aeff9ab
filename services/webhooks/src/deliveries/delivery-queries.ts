import { RequestValidationError } from '@quittance/contracts/errors'
import {
  deliveryStatuses,
  listWebhookDeliveries as listWebhookDeliveriesContract,
  type listWebhookDeliveries,
} from '@quittance/contracts/webhook-deliveries'
import { query } from '@quittance/runtime/handler'
import { toArray, newestFirst, buildWhere, type Filter } from '@quittance/sql/list-query'
import type { ReplyOf } from '@quittance/contracts/operation'
import { nested, type View } from '@quittance/sql/view'

const afterCondition = `(a.created_at, a.id) < (select x.created_at, x.id from webhook_attempts x where x.id = :after)`

const knownAttempt: View<{ id: string }> = {
  name: 'webhook-attempt',
  organization: 'a.organization_id',
  from: 'webhook_attempts a',
  columns: 'a.id',
}

export const listDeliveries = query(listWebhookDeliveriesContract, async (request, { read }) => {
  const { after } = request
  if (after && (await read.oneOrNull(knownAttempt, { where: 'a.id = :id', values: { id: after } })) === null)
    throw RequestValidationError.field(['after'], 'No delivery has this id. Deliveries are stored for 30 days; start again without it.')
  return read.page(deliveryView, {
    ...buildWhere({
      endpoint_id: { sql: 'a.endpoint_id = any(:endpoint_id)', value: toArray(request.endpoint_id) },
      start: { sql: 'a.created_at >= :start', value: request.start_timestamp },
      end: { sql: 'a.created_at < :end', value: request.end_timestamp },
      succeeded: { sql: 'a.succeeded = :succeeded', value: request.succeeded },
      status: buildStatusFilter(toArray(request.status)),
      http_code_class: { sql: 'a.http_code / 100 = :http_code_class::int', value: request.http_code_class?.[0] },
      event_type: { sql: 'a.event_type = any(:event_type)', value: toArray(request.event_type) },
      event_id: { sql: 'a.event_id = :event_id', value: request.event_id },
      after: { sql: afterCondition, value: after },
    }),
    orderBy: newestFirst('a'),
    page: request.page,
    limit: request.limit,
  })
})

/**
 * Finds the attempts of events with these states at their endpoint. Nearly all succeed: if those are asked for, the others are excluded,
 * because comparing each attempt with its event takes 2 s for a million.
 */
function buildStatusFilter(statuses: readonly (typeof deliveryStatuses)[number][] | undefined): Filter {
  const hasStatus = `exists (
    select from webhook_deliveries s
    where s.event_id = a.event_id and s.endpoint_id = a.endpoint_id and s.occurred_at = a.occurred_at and s.status = any(:status))`
  if (!statuses?.includes('succeeded')) return { sql: hasStatus, value: statuses }
  return { sql: `not ${hasStatus}`, value: deliveryStatuses.filter((status) => !statuses.includes(status)) }
}

type WebhookDelivery = ReplyOf<typeof listWebhookDeliveries>['items'][number]

/** Maximum total size of the texts of a page in bytes. With JSON escapes the reply stays below the NATS message limit. */
const shown = { payloads: 400_000, responses: 100_000 }
const share = (of: keyof typeof shown) => `(${shown[of]} / :limit::int)`

/** A character has at most four bytes. */
const payload = `case when octet_length(ev.payload) <= ${share('payloads')} then ev.payload else left(ev.payload, ${share('payloads')} / 4) end`

/** The `webhook_event` of the API is the event at one endpoint: its success and the exact text that was signed. */
const eventColumns = `ev.id, ev.created_at, d.modified_at, d.last_http_code, false as skipped, a.event_type as type, false as is_archived,
  ${payload} as payload,
  octet_length(ev.payload) > ${share('payloads')} as is_payload_cut, d.status,
  case d.status when 'succeeded' then true when 'pending' then null when 'held' then null else false end as succeeded`

/** A delivery of the API is one attempt. Attempts at deleted endpoints stay visible while their events are stored. */
export const deliveryView: View<WebhookDelivery> = {
  name: 'webhook-delivery',
  organization: 'a.organization_id',
  from: 'webhook_attempts a',
  lookupJoins: `join webhook_deliveries d on d.event_id = a.event_id and d.endpoint_id = a.endpoint_id and d.occurred_at = a.occurred_at
    cross join lateral (select e.id, e.created_at, coalesce(d.body, e.payload) as payload
      from webhook_events e where e.id = a.event_id and e.occurred_at = a.occurred_at) ev`,
  key: 'a.id',
  columns: `a.id, a.created_at, null as modified_at, a.http_code, a.succeeded, a.reason, left(a.response_excerpt, ${share('responses')} / 4) as response,
    a.duration_ms, a.endpoint_id, a.event_type, ${nested(eventColumns)} as webhook_event`,
}
