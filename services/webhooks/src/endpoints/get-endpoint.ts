import { getWebhookEndpoint as contract } from '@quittance/contracts/webhooks'
import { query } from '@quittance/runtime/handler'
import { endpointView } from './endpoint-view.ts'

export const getEndpoint = query(contract, ({ id }, { read }) => read.one(endpointView, { where: 'e.id = :id', values: { id } }))
