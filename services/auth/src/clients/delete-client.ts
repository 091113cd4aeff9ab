import { deleteClient as contract } from '@quittance/contracts/clients'
import { command } from '@quittance/runtime/handler'
import { forget } from '../access-tokens/forget-token.ts'
import { findManagedClient } from './managed-client.ts'

export const deleteClient = command(contract, async ({ client_id }, { em, caller, now, publish, rows, wake }) => {
  const client = await findManagedClient(client_id, { em, caller })
  client.delete(now)
  await rows('grant.delete-of-client', `delete from grants where client_id = :client_id`, { client_id })
  await rows('consent.delete-of-client', `delete from consents where client_id = :client_id`, { client_id })
  publish(forget({ aggregateId: client.id, client_id }))
  wake('clients')
  return null
})
