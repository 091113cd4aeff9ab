import {
  maskedSecret,
  updateWebhookEndpoint as updateWebhookEndpointContract,
  deleteWebhookEndpoint as deleteWebhookEndpointContract,
  rotateWebhookSecret as rotateWebhookSecretContract,
} from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import { sealSecret } from '@quittance/runtime/encryption'
import { config } from '../config.ts'
import { disableEndpoint, enableEndpoint, resetFailures } from './disable-endpoint.ts'
import { registerBacklog } from './hold-backlogs.ts'
import { generateSecret } from '../http/signature.ts'
import { Endpoint } from './endpoint.ts'
import { assertAllowedUrl } from './endpoint-url.ts'
import { endpointView } from './endpoint-view.ts'
import { recordSelection } from './selection.ts'

export const updateEndpoint = command(
  updateWebhookEndpointContract,
  async ({ id, url, format, events, secret, rate_limit, enabled }, transaction) => {
    const { em, read } = transaction
    const { SECRETS_KEY: keys, WEBHOOK_ALLOWED_CIDRS: networks, WEBHOOK_DENIED_PORTS: deniedPorts } = config()
    const endpoint = await em.findOneOrFail(Endpoint, { id, deletedAt: null })
    if (url) assertAllowedUrl(url, { networks, deniedPorts })
    const isNewSecret = secret && secret !== maskedSecret
    const sealedSecret = isNewSecret ? sealSecret(secret, { keys, context: endpoint.organizationId }) : undefined
    const isMoved = url ? url !== endpoint.url : false
    if (events) await recordSelection(transaction, id, { before: endpoint.events, after: events })
    endpoint.change({ url, format, events, rateLimit: rate_limit, sealedSecret })
    if (isMoved) await resetFailures(transaction, id)
    if (enabled === true) await enableEndpoint(transaction, id)
    if (enabled === false) await disableEndpoint(transaction, { id, reason: 'requested' })
    return read.one(endpointView, { where: 'e.id = :id', values: { id } })
  },
)

/**
 * A job cancels pending and held deliveries. A POST in progress is not aborted; an event that arrives at the same time is cancelled when it
 * becomes due.
 */
export const deleteEndpoint = command(deleteWebhookEndpointContract, async ({ id }, transaction) => {
  const endpoint = await transaction.em.findOneOrFail(Endpoint, { id, deletedAt: null })
  endpoint.delete(transaction.now)
  await registerBacklog(transaction, id)
  return null
})

export const rotateSecret = command(
  rotateWebhookSecretContract,
  async ({ id, secret: requestedSecret, expire_previous_in: overlapSeconds }, { em, read, now }) => {
    const endpoint = await em.findOneOrFail(Endpoint, { id, deletedAt: null })
    const secret = requestedSecret ?? generateSecret()
    endpoint.rotateSecret(sealSecret(secret, { keys: config().SECRETS_KEY, context: endpoint.organizationId }), { overlapSeconds, now })
    const view = await read.one(endpointView, { where: 'e.id = :id', values: { id } })
    return { ...JSON.parse(view), secret }
  },
)
