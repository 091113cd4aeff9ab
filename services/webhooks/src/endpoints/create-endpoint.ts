import { createWebhookEndpoint as contract, maxWebhookEndpoints, WebhookEndpointLimitReached } from '@quittance/contracts/webhooks'
import { resolveOrganization } from '@quittance/runtime/resolve-organization'
import { command, type Transaction } from '@quittance/runtime/handler'
import { sealSecret } from '@quittance/runtime/encryption'
import { config } from '../config.ts'
import { Endpoint } from './endpoint.ts'
import { assertAllowedUrl } from './endpoint-url.ts'
import { endpointView } from './endpoint-view.ts'
import { generateSecret } from '../http/signature.ts'

const countSql = `select count(*)::int as count from webhook_endpoints
  where organization_id = :id and organization_id = any (:scope_organizations) and deleted_at is null`
const insertQueue = `insert into webhook_lanes (endpoint_id)
  select id from webhook_endpoints where id = :id and organization_id = any (:scope_organizations)`

export const createEndpoint = command(contract, async (request, context) => {
  const { em, caller, read, sql } = context
  const { SECRETS_KEY: keys, WEBHOOK_ALLOWED_CIDRS: networks, WEBHOOK_DENIED_PORTS: deniedPorts } = config()
  const organizationId = resolveOrganization(caller, request.organization_id)
  assertAllowedUrl(request.url, { networks, deniedPorts })
  await assertBelowLimit(context, organizationId)
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
  await sql('lanes.insert', insertQueue, { id: endpoint.id })
  const view = await read.one(endpointView, { where: 'e.id = :id', values: { id: endpoint.id } })
  return { ...JSON.parse(view), secret }
})

/** Limits the endpoints of an organization, because every event is stored once per endpoint. */
async function assertBelowLimit({ sql, lockNames }: Pick<Transaction, 'sql' | 'lockNames'>, id: string): Promise<void> {
  await lockNames([`webhook-endpoints ${id}`])
  const [row] = await sql<{ count: number }>('endpoints.count', countSql, { id })
  if ((row?.count ?? 0) < maxWebhookEndpoints) return
  throw new WebhookEndpointLimitReached(`An organization can have at most ${maxWebhookEndpoints} webhook endpoints. Delete one first.`)
}
