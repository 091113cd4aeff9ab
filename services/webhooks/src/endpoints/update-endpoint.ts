import { updateWebhookEndpoint as contract } from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import { sealSecret } from '@quittance/runtime/seal'
import { config } from '../config.ts'
import { disableEndpoint, enableEndpoint } from './disable-endpoint.ts'
import { Endpoint } from './endpoint.ts'
import { refuseForbiddenUrl } from './endpoint-url.ts'
import { endpointView } from './endpoint-view.ts'

export const updateEndpoint = command(contract, async ({ id, url, format, events, secret, rate_limit, enabled }, transaction) => {
  const { em, read } = transaction
  const { SECRETS_KEY: keys, WEBHOOK_ALLOWED_CIDRS: allowed } = config()
  const endpoint = await em.findOneOrFail(Endpoint, { id, deletedAt: null })
  if (url) refuseForbiddenUrl(url, allowed)
  const sealedSecret = secret ? sealSecret(secret, { keys, context: endpoint.organizationId }) : undefined
  endpoint.change({ url, format, events, rateLimit: rate_limit, sealedSecret })
  if (enabled === true) await enableEndpoint(transaction, id)
  if (enabled === false) await disableEndpoint(transaction, { id, reason: 'requested' })
  return read.one(endpointView, { where: 'e.id = :id', values: { id } })
})
