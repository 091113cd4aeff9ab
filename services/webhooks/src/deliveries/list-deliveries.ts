import { listWebhookDeliveries as contract } from '@quittance/contracts/webhooks'
import { query } from '@quittance/runtime/handler'
import { asList, newestFirst, whereGiven } from '@quittance/runtime/list'
import { deliveryView } from './delivery-view.ts'

export const listDeliveries = query(contract, (request, { read }) =>
  read.page(deliveryView, {
    ...whereGiven({
      endpoint_id: { sql: 'a.endpoint_id = any(:endpoint_id)', value: asList(request.endpoint_id) },
      start: { sql: 'a.created_at >= :start', value: request.start_timestamp },
      end: { sql: 'a.created_at < :end', value: request.end_timestamp },
    }),
    orderBy: newestFirst('a'),
    page: request.page,
    limit: request.limit,
  }),
)
