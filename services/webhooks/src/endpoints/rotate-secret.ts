import { rotateWebhookSecret as contract } from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import { sealSecret } from '@quittance/runtime/seal'
import { config } from '../config.ts'
import { Endpoint } from './endpoint.ts'
import { endpointView } from './endpoint-view.ts'
import { generateSecret } from './signing-secret.ts'

export const rotateSecret = command(contract, async ({ id, secret: given, expire_previous_in: overlapSeconds }, { em, read, now }) => {
  const endpoint = await em.findOneOrFail(Endpoint, { id, deletedAt: null })
  const secret = given ?? generateSecret()
  endpoint.rotateSecret(sealSecret(secret, { keys: config().SECRETS_KEY, context: endpoint.organizationId }), { overlapSeconds, now })
  const view = await read.one(endpointView, { where: 'e.id = :id', values: { id } })
  return { ...JSON.parse(view), secret }
})
