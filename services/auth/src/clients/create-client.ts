import { createClient as contract } from '@quittance/contracts/clients'
import { command } from '@quittance/runtime/handler'
import { Client, newClient } from './client.ts'
import { refuseForbiddenRedirects } from './client-metadata.ts'

export const createClient = command(contract, async (request, { em, wake }) => {
  refuseForbiddenRedirects([...request.redirect_uris, ...request.post_logout_redirect_uris])
  const { secret, row } = newClient(
    {
      name: request.name,
      redirectUris: request.redirect_uris,
      postLogoutRedirectUris: request.post_logout_redirect_uris,
      tokenEndpointAuthMethod: request.is_public ? 'none' : 'client_secret_post',
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes: [...new Set(request.scopes)],
      clientUri: null,
      logoUri: null,
      tosUri: null,
      policyUri: null,
      idTokenSignedResponseAlg: 'RS256',
      dpopBoundAccessTokens: false,
    },
    { accountId: null, isTrusted: true },
  )
  em.create(Client, row)
  wake('clients')
  return { client_id: row.clientId, client_secret: secret }
})
