import { createWebhookEndpoint as contract } from '@quittance/contracts/webhooks'
import { chosenOrganization } from '@quittance/runtime/chosen-organization'
import { command } from '@quittance/runtime/handler'
import { sealSecret } from '@quittance/runtime/seal'
import { config } from '../config.ts'
import { Endpoint } from './endpoint.ts'
import { refuseForbiddenUrl } from './endpoint-url.ts'
import { endpointView } from './endpoint-view.ts'
import { generateSecret } from './signing-secret.ts'

export const createEndpoint = command(contract, async (request, { em, caller, read }) => {
  const { SECRETS_KEY: keys, WEBHOOK_ALLOWED_CIDRS: allowed } = config()
  const organizationId = chosenOrganization(caller, request.organization_id)
  refuseForbiddenUrl(request.url, allowed)
  const secret = request.secret ?? generateSecret()
  const endpoint = em.create(Endpoint, {
    organizationId,
    url: request.url,
    format: request.format,
    events: request.events,
    sealedSecret: sealSecret(secret, { keys, context: organizationId }),
    deletedAt: null,
  })
  await em.flush()
  const view = await read.one(endpointView, { where: 'e.id = :id', values: { id: endpoint.id } })
  return { ...JSON.parse(view), secret }
})
