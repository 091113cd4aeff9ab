import { registerClient } from '@quittance/contracts/clients'
import { InvalidClientMetadata, InvalidRedirectUri } from '@quittance/contracts/errors'
import type { RequestInput } from '@quittance/contracts/operation'
import { scopes } from '@quittance/contracts/scopes'
import { expect, test } from 'vitest'
import { readClientMetadata, assertNoServerFields } from './client-metadata.ts'

function read(metadata: Partial<RequestInput<typeof registerClient>>) {
  const least = { client_name: 'App', redirect_uris: ['https://app.example.com/callback'] }
  return readClientMetadata(registerClient.request.parse({ ...least, ...metadata }))
}

test('name and redirect URI suffice for a confidential client with all scopes and refresh tokens', () => {
  expect(read({})).toEqual({
    name: 'App',
    redirectUris: ['https://app.example.com/callback'],
    postLogoutRedirectUris: [],
    tokenEndpointAuthMethod: 'client_secret_post',
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: [...scopes],
    clientUri: null,
    logoUri: null,
    tosUri: null,
    policyUri: null,
    idTokenSignedResponseAlg: 'RS256',
    dpopBoundAccessTokens: false,
  })
})

test('accepts known scopes only, each once', () => {
  expect(read({ scope: ' openid  orders:read openid ' }).scopes).toEqual(['openid', 'orders:read'])
  expect(() => read({ scope: 'openid orders:steal' })).toThrow(InvalidClientMetadata)
  expect(() => read({ scope: 'openid\torders:read' })).toThrow(InvalidClientMetadata)
})

test.each(['', '   '])('rejects a client without scopes: "%s"', (scope) => {
  expect(() => read({ scope })).toThrow(InvalidClientMetadata)
})

test('rejects refresh_token alone, accepts authorization_code alone', () => {
  expect(() => read({ grant_types: ['refresh_token'] })).toThrow(InvalidClientMetadata)
  expect(read({ grant_types: ['authorization_code', 'authorization_code'] }).grantTypes).toEqual(['authorization_code'])
})

test('rejects metadata with one forbidden redirect URI, after sign-in or after logout', () => {
  const uris = ['https://app.example.com/callback', 'http://app.example.com/callback']
  expect(() => read({ redirect_uris: uris })).toThrow(InvalidRedirectUri)
  expect(() => read({ post_logout_redirect_uris: uris })).toThrow(InvalidRedirectUri)
})

test('a public client may combine a private-use scheme with https and loopback addresses', () => {
  const uris = ['com.example.app:/callback', 'https://app.example.com/callback', 'http://127.0.0.1/callback']
  expect(() => read({ redirect_uris: uris })).toThrow(InvalidRedirectUri)
  expect(read({ redirect_uris: uris, token_endpoint_auth_method: 'none' }).redirectUris).toEqual(uris)
  const unusual = [...uris, 'http://app.localhost/callback']
  expect(() => read({ redirect_uris: unusual, token_endpoint_auth_method: 'none' })).toThrow(InvalidRedirectUri)
})

test.each(['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'])('%s must be a web address', (key) => {
  expect(read({ [key]: 'http://example.com/page' })).toBeTruthy()
  expect(() => read({ [key]: 'javascript:alert(1)' })).toThrow(InvalidClientMetadata)
})

test.each(['registration_access_token', 'registration_client_uri', 'client_secret_expires_at', 'client_id_issued_at'])(
  'an update must not contain %s',
  (key) => {
    expect(() => assertNoServerFields({ client_name: 'App', [key]: null })).toThrow(InvalidClientMetadata)
  },
)
