import { createWebhookEndpoint as contract, mostWebhookEndpoints, WebhookEndpointLimitReached } from '@quittance/contracts/webhooks'
import { claimNames } from '@quittance/runtime/claim'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command, type Rows } from '@quittance/runtime/handler'
import { sealSecret } from '@quittance/runtime/seal'
import { config } from '../config.ts'
import { Endpoint } from './endpoint.ts'
import { refuseForbiddenUrl } from './endpoint-url.ts'
import { endpointView } from './endpoint-view.ts'
import { generateSecret } from './signing-secret.ts'

const countSql = `select count(*)::int as count from webhook_endpoints where organization_id = :id and deleted_at is null`
const openLane = `insert into webhook_lanes (endpoint_id) values (:id)`

export const createEndpoint = command(contract, async (request, { em, caller, read, rows }) => {
  const { SECRETS_KEY: keys, WEBHOOK_ALLOWED_CIDRS: allowed } = config()
  const organizationId = chosenOrganization(caller, request.organization_id)
  refuseForbiddenUrl(request.url, allowed)
  await demandRoom(rows, organizationId)
  const secret = request.secret ?? generateSecret()
  const endpoint = em.create(Endpoint, {
    organizationId,
    url: request.url,
    format: request.format,
    events: request.events,
    sealedSecret: sealSecret(secret, { keys, context: organizationId }),
    sealedPrevious: [],
    rateLimit: request.rate_limit ?? null,
    deletedAt: null,
  })
  await em.flush()
  await rows('lanes.open', openLane, { id: endpoint.id })
  const view = await read.one(endpointView, { where: 'e.id = :id', values: { id: endpoint.id } })
  return { ...JSON.parse(view), secret }
})

/** Every event of the organization is kept once for each endpoint: their number is bounded. */
async function demandRoom(rows: Rows, id: string): Promise<void> {
  await claimNames(rows, [`webhook-endpoints ${id}`])
  const [row] = await rows<{ count: number }>('endpoints.count', countSql, { id })
  if ((row?.count ?? 0) < mostWebhookEndpoints) return
  throw new WebhookEndpointLimitReached(`An organization has ${mostWebhookEndpoints} webhook endpoints at most. Delete one first.`)
}
