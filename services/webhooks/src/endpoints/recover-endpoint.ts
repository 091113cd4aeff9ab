import { randomUUID } from 'node:crypto'
import { RequestValidationError } from '@quittance/contracts/errors'
import { recoverWebhookEndpoint as contract } from '@quittance/contracts/webhooks'
import { command } from '@quittance/runtime/handler'
import { recoverMissed } from '../deliveries/recover-missed.ts'
import { demandEnabled } from './demand-enabled.ts'

const begin = `
  insert into webhook_recoveries (id, endpoint_id, organization_id, since, until)
  values (:id, :endpoint_id, :organization_id, :since, :until)`

/** Answers at once; a job does it in batches, and goes on after a restart where it was. */
export const recoverEndpoint = command(contract, async ({ id: endpointId, since, until: given }, { read, rows, now, wake }) => {
  const organizationId = await demandEnabled({ read }, endpointId)
  const until = given ?? now.toISOString()
  if (Date.parse(since) >= Date.parse(until)) throw RequestValidationError.field(['since'], 'Must be before until.')
  const id = randomUUID()
  await rows('recoveries.begin', begin, { id, endpoint_id: endpointId, organization_id: organizationId, since, until })
  wake(recoverMissed.name)
  return { id, since, until }
})
