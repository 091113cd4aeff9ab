import { updateClient as contract } from '@quittance/contracts/clients'
import { InvalidClientMetadata } from '@quittance/contracts/errors'
import { hashToken } from '@quittance/runtime/credential'
import { command } from '@quittance/runtime/handler'
import { readClientMetadata, refuseServerSaid } from './client-metadata.ts'
import { clientView } from './client-view.ts'
import { findManagedClient, managedClient } from './managed-client.ts'
import { registrationUri } from './registration-uri.ts'

/** RFC 7592 §2.2. That `client_id` of the body equals the path is so by construction: the path is bound on top of the body. */
export const updateClient = command(contract, async (request, { em, caller, read, wake }) => {
  const client = await findManagedClient(request.client_id, { em, caller })
  refuseServerSaid(request)
  const said = request['client_secret']
  if (said !== undefined && !(typeof said === 'string' && client.secretHash === hashToken(said))) {
    throw new InvalidClientMetadata('client_secret: must be the one the client has, or be left out.')
  }
  const secret = client.configure(readClientMetadata(request))
  const view = await read.one(clientView, managedClient(request.client_id, caller))
  wake('clients')
  return {
    ...JSON.parse(view),
    ...(secret !== null && { client_secret: secret }),
    registration_client_uri: registrationUri(request.client_id),
  }
})
