import { registerClient } from '@quittance/contracts/clients'
import { InvalidClientMetadata, InvalidRedirectUri } from '@quittance/contracts/errors'
import type { RequestInput } from '@quittance/contracts/operation'
import { scopes } from '@quittance/contracts/scopes'
import { expect, test } from 'vitest'
import { readClientMetadata, refuseServerSaid } from './client-metadata.ts'

function read(metadata: Partial<RequestInput<typeof registerClient>>) {
  const least = { client_name: 'App', redirect_uris: ['https://app.example.com/callback'] }
  return readClientMetadata(registerClient.request.parse({ ...least, ...metadata }))
}

test('name and redirect URI are enough: a confidential client that may ask for every scope and refresh its tokens', () => {
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

test('a scope is a known one, and each counts once', () => {
  expect(read({ scope: ' openid  orders:read openid ' }).scopes).toEqual(['openid', 'orders:read'])
  expect(() => read({ scope: 'openid orders:steal' })).toThrow(InvalidClientMetadata)
  expect(() => read({ scope: 'openid\torders:read' })).toThrow(InvalidClientMetadata)
})

test.each(['', '   '])('a client without scopes is refused: "%s"', (scope) => {
  expect(() => read({ scope })).toThrow(InvalidClientMetadata)
})

test('refresh_token alone is refused; authorization_code alone is not', () => {
  expect(() => read({ grant_types: ['refresh_token'] })).toThrow(InvalidClientMetadata)
  expect(read({ grant_types: ['authorization_code', 'authorization_code'] }).grantTypes).toEqual(['authorization_code'])
})

test('one forbidden redirect URI among good ones is enough, after sign-in as after logout', () => {
  const uris = ['https://app.example.com/callback', 'http://app.example.com/callback']
  expect(() => read({ redirect_uris: uris })).toThrow(InvalidRedirectUri)
  expect(() => read({ post_logout_redirect_uris: uris })).toThrow(InvalidRedirectUri)
})

test.each(['client_uri', 'logo_uri', 'tos_uri', 'policy_uri'])('%s is an address of the web', (key) => {
  expect(read({ [key]: 'http://example.com/page' })).toBeTruthy()
  expect(() => read({ [key]: 'javascript:alert(1)' })).toThrow(InvalidClientMetadata)
})

test.each(['registration_access_token', 'registration_client_uri', 'client_secret_expires_at', 'client_id_issued_at'])(
  'an update does not say %s',
  (key) => {
    expect(() => refuseServerSaid({ client_name: 'App', [key]: null })).toThrow(InvalidClientMetadata)
  },
)
