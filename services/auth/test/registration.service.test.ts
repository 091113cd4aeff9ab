import { tokenRevoked } from '@quittance/contracts/auth'
import { getClient, registerClient, updateClient } from '@quittance/contracts/clients'
import { InvalidClientMetadata, InvalidRedirectUri, InvalidToken } from '@quittance/contracts/errors'
import { expect, test } from 'vitest'
import { startWithUser, verify } from './start-with-user.ts'

const redirect_uris = ['https://ledger.example.com/callback']

test.each<[string, Record<string, unknown>]>([
  ['no redirect URI', {}],
  ['an empty list of redirect URIs', { redirect_uris: [] }],
  ['a redirect URI that is not a string', { redirect_uris: [1] }],
  ['a forbidden redirect URI', { redirect_uris: ['http://ledger.example.com/callback'] }],
])('%s is 400 invalid_redirect_uri (RFC 7591 §3.2.2)', async (_, metadata) => {
  const { service, person } = await startWithUser()
  await using auth = service
  const error = await auth.call(registerClient, metadata as never, person).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(InvalidRedirectUri)
  expect(error).toMatchObject({
    status: 400,
    body: { error: 'invalid_redirect_uri', error_description: expect.any(String), detail: expect.any(String) },
  })
  expect(await auth.rows('select from clients')).toEqual([])
})

test.each<[string, Record<string, unknown>]>([
  ['a name that is not a string', { client_name: 7 }],
  ['a name without visible characters', { client_name: '\u200B\u2060' }],
  ['a name that changes the writing direction', { client_name: 'Pay\u202Elap' }],
  ['an unsupported authentication method', { token_endpoint_auth_method: 'client_secret_jwt' }],
  ['an unsupported grant type', { grant_types: ['implicit'] }],
  ['an unsupported response type', { response_types: ['token'] }],
  ['several errors at once', { redirect_uris: [], scope: 7 }],
])('%s is 400 invalid_client_metadata, also in an update (RFC 7591 §3.2.2, RFC 7592 §2.2)', async (_, metadata) => {
  const { service, person } = await startWithUser()
  await using auth = service
  const request = { redirect_uris, ...metadata }
  await expect(auth.call(registerClient, request as never, person)).rejects.toThrow(InvalidClientMetadata)
  const { client_id } = await auth.call(registerClient, { redirect_uris }, person)
  const error = await auth.call(updateClient, { client_id, ...request } as never, person).catch((error: unknown) => error)
  expect(error).toMatchObject({
    status: 400,
    body: { error: 'invalid_client_metadata', error_description: expect.any(String), detail: expect.any(String) },
  })
  expect(await auth.rows('select from clients where modified_at is not null')).toEqual([])
})

test('a client without a name is named after the host of its home page or redirect URI', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const named = async (more: object) => (await auth.call(registerClient, { redirect_uris, ...more }, person)).client_name
  expect(await named({})).toBe('ledger.example.com')
  expect(await named({ client_uri: 'https://books.example/about' })).toBe('books.example')
  expect(await named({ token_endpoint_auth_method: 'none', redirect_uris: ['com.example.app:/cb'] })).toBe('com.example.app')
})

test('returns the registration token to its holder but not to the user who owns the client', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const { client_id, registration_access_token: token } = await auth.call(registerClient, { redirect_uris }, person)
  const bearer = (await verify(auth, token)).caller
  const answers = [
    await auth.call(getClient, { client_id }, bearer),
    await auth.call(updateClient, { client_id, redirect_uris, client_name: 'Books' }, bearer),
  ]
  expect(answers.map((answer) => answer.registration_access_token)).toEqual([token, token])
  expect(await auth.call(getClient, { client_id }, person)).not.toHaveProperty('registration_access_token')
  expect(await auth.call(updateClient, { client_id, redirect_uris }, person)).not.toHaveProperty('registration_access_token')
  expect(JSON.stringify(await auth.rows('select * from clients'))).not.toContain(token)
})

test('a client without a stored token gets a new one at its first change; the old one ends', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const { client_id, registration_access_token: old } = await auth.call(registerClient, { redirect_uris }, person)
  await auth.rows('update clients set registration_token_sealed = null')
  const bearer = (await verify(auth, old)).caller
  expect(await auth.call(getClient, { client_id }, bearer)).not.toHaveProperty('registration_access_token')
  const { registration_access_token: token = '' } = await auth.call(updateClient, { client_id, redirect_uris }, bearer)
  expect(token).toMatch(/^qt_crt_/)
  expect((await verify(auth, token)).caller).toMatchObject({ kind: 'client', client_id })
  await expect(verify(auth, old)).rejects.toThrow(InvalidToken)
  expect(await auth.nextEvent(tokenRevoked)).toMatchObject({ token_hash: expect.any(String) })
})
