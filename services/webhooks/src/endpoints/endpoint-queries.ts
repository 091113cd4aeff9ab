import {
  getWebhookEndpoint as getWebhookEndpointContract,
  listWebhookEndpoints as listWebhookEndpointsContract,
  getWebhookEndpointStats as getWebhookEndpointStatsContract,
} from '@quittance/contracts/webhooks'
import { query } from '@quittance/runtime/handler'
import { endpointView } from './endpoint-view.ts'
import { toArray, newestFirst, buildWhere } from '@quittance/sql/list-query'
import type { ReplyOf } from '@quittance/contracts/operation'
import type { View } from '@quittance/sql/view'

export const getEndpoint = query(getWebhookEndpointContract, ({ id }, { read }) =>
  read.one(endpointView, { where: 'e.id = :id', values: { id } }),
)

export const listEndpoints = query(listWebhookEndpointsContract, ({ organization_id, page, limit }, { read }) =>
  read.page(endpointView, {
    ...buildWhere({ organization_id: { sql: 'e.organization_id = any(:organization_id)', value: toArray(organization_id) } }),
    orderBy: newestFirst('e'),
    page,
    limit,
  }),
)

const since = `now() - interval '7 days'`
const waiting = (status: string) =>
  `(select count(*) from webhook_deliveries d where d.endpoint_id = e.id and d.status = '${status}') as ${status === 'pending' ? 'waiting' : status}`

const statsView: View<ReplyOf<typeof getWebhookEndpointStatsContract>> = {
  name: 'webhook-endpoint-stats',
  organization: 'e.organization_id',
  from: 'webhook_endpoints e',
  lookupJoins: `join webhook_lanes l on l.endpoint_id = e.id
    cross join lateral (
      select count(*) as attempts, count(*) filter (where a.succeeded) as succeeded, count(*) filter (where not a.succeeded) as failed,
        round(avg(a.duration_ms)) as average_duration_ms
      from webhook_attempts a where a.endpoint_id = e.id and a.created_at >= ${since}) made`,
  columns: `e.id as endpoint_id, ${since} as since, made.*, l.last_success_at, l.failing_since,
    case when l.paused_until > now() then l.paused_until end as paused_until, ${waiting('pending')}, ${waiting('held')}`,
}

export const getEndpointStats = query(getWebhookEndpointStatsContract, ({ id }, { read }) =>
  read.one(statsView, { where: 'e.id = :id and e.deleted_at is null', values: { id } }),
)
