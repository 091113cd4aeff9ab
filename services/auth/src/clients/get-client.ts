import { getClient as contract } from '@quittance/contracts/clients'
import { query } from '@quittance/runtime/handler'
import { clientView } from './client-view.ts'
import { managedClient, unknownClient } from './managed-client.ts'
import { registrationUri } from './registration-uri.ts'

export const getClient = query(contract, async ({ client_id }, { caller, read }) => {
  const view = await read.oneOrNull(clientView, managedClient(client_id, caller))
  if (view === null) throw unknownClient()
  return { ...JSON.parse(view), registration_client_uri: registrationUri(client_id) }
})
