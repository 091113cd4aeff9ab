import { createClient as contract } from '@quittance/contracts/auth'
import { command } from '@quittance/runtime/handler'
import { hashToken, mintToken } from '@quittance/runtime/credential'
import { Client } from './client.ts'

export const createClient = command(contract, (request, { em }) => {
  const clientId = mintToken('qt_ci_')
  const secret = request.is_public ? null : mintToken('qt_cs_')
  em.create(Client, {
    clientId,
    secretHash: secret && hashToken(secret),
    name: request.name,
    redirectUris: request.redirect_uris,
    scopes: request.scopes,
    isPublic: request.is_public,
  })
  return { client_id: clientId, client_secret: secret }
})
