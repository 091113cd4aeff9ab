import { registerClient as contract } from '@quittance/contracts/clients'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { command } from '@quittance/runtime/handler'
import { Client, newClient } from './client.ts'
import { readClientMetadata } from './client-metadata.ts'
import { clientView } from './client-view.ts'
import { admitRegistration } from './registration-policy.ts'
import { registrationUri } from './registration-uri.ts'

export const registerClient = command(contract, async (request, { em, caller, read, rows, wake }) => {
  const accountId = await admitRegistration(caller, rows)
  const { secret, row } = newClient(readClientMetadata(request), { accountId, isTrusted: false })
  const registrationToken = mintToken('qt_crt_')
  em.create(Client, { ...row, registrationTokenHash: hashToken(registrationToken) })
  const view = await read.one(clientView, { where: 'c.client_id = :client_id', values: { client_id: row.clientId } })
  wake('clients')
  return {
    ...JSON.parse(view),
    ...(secret !== null && { client_secret: secret }),
    registration_access_token: registrationToken,
    registration_client_uri: registrationUri(row.clientId),
  }
})
