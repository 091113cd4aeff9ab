import { listWebhookDeliveries as contract } from '@quittance/contracts/webhook-deliveries'
import { query } from '@quittance/runtime/handler'
import { asList, newestFirst, whereGiven } from '@quittance/runtime/list'
import { deliveryView } from './delivery-view.ts'

const ofStatus = `exists (
  select from webhook_deliveries s
  where s.event_id = a.event_id and s.endpoint_id = a.endpoint_id and s.occurred_at = a.occurred_at and s.status = any(:status))`
const behind = `(a.created_at, a.id) < (select x.created_at, x.id from webhook_attempts x where x.id = :after)`

export const listDeliveries = query(contract, (request, { read }) =>
  read.page(deliveryView, {
    ...whereGiven({
      endpoint_id: { sql: 'a.endpoint_id = any(:endpoint_id)', value: asList(request.endpoint_id) },
      start: { sql: 'a.created_at >= :start', value: request.start_timestamp },
      end: { sql: 'a.created_at < :end', value: request.end_timestamp },
      succeeded: { sql: 'a.succeeded = :succeeded', value: request.succeeded },
      status: { sql: ofStatus, value: asList(request.status) },
      http_code_class: { sql: 'a.http_code / 100 = :http_code_class::int', value: request.http_code_class?.[0] },
      event_type: { sql: 'a.event_type = any(:event_type)', value: asList(request.event_type) },
      event_id: { sql: 'a.event_id = :event_id', value: request.event_id },
      after: { sql: behind, value: request.after },
    }),
    orderBy: newestFirst('a'),
    page: request.page,
    limit: request.limit,
  }),
)
