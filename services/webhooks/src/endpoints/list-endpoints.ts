import { listWebhookEndpoints as contract } from '@quittance/contracts/webhooks'
import { query } from '@quittance/runtime/handler'
import { asList, newestFirst, whereGiven } from '@quittance/runtime/list'
import { endpointView } from './endpoint-view.ts'

export const listEndpoints = query(contract, ({ organization_id, page, limit }, { read }) =>
  read.page(endpointView, {
    ...whereGiven({ organization_id: { sql: 'e.organization_id = any(:organization_id)', value: asList(organization_id) } }),
    orderBy: newestFirst('e'),
    page,
    limit,
  }),
)
