import { updateWebhookEndpoint as contract } from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import { sealSecret } from '@quittance/runtime/seal'
import { config } from '../config.ts'
import { Endpoint } from './endpoint.ts'
import { refuseForbiddenUrl } from './endpoint-url.ts'
import { endpointView } from './endpoint-view.ts'

export const updateEndpoint = command(contract, async ({ id, url, events, secret }, { em, read }) => {
  const { SECRETS_KEY: keys, WEBHOOK_ALLOWED_CIDRS: allowed } = config()
  const endpoint = await em.findOneOrFail(Endpoint, { id, deletedAt: null })
  if (url) refuseForbiddenUrl(url, allowed)
  endpoint.change({ url, events, ...(secret && { sealedSecret: sealSecret(secret, { keys, context: endpoint.organizationId }) }) })
  return read.one(endpointView, { where: 'e.id = :id', values: { id } })
})
