import { tokenRevoked } from '@quittance/contracts/auth'
import type { Caller } from '@quittance/contracts/caller'
import { createClient, deleteClient, getClient, listClients, registerClient, updateClient } from '@quittance/contracts/clients'
import {
  InvalidClient,
  InvalidClientMetadata,
  InvalidRedirectUri,
  InvalidToken,
  NotPermitted,
  TooManyRequests,
  Unauthorized,
} from '@quittance/contracts/errors'
import type { RequestInput } from '@quittance/contracts/operation'
import { hashToken } from '@quittance/runtime/credential'
import { createLogger } from '@quittance/runtime/logger'
import { listenForNotifications } from '@quittance/runtime/internal/jobs/notification-listener'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import type { TestService } from '@quittance/testing/harness'
import { expect, test } from 'vitest'
import { config } from '../src/config.ts'
import { addAccessToken, addAccount, addGrant, anonymous, operator, userCallerFor, startWithUser, verify } from './start-with-user.ts'

const least = { client_name: 'Ledger', redirect_uris: ['https://ledger.example.com/callback'] }

/** Changes the setting of the started service, which runs in this process. */
function registrationIs(policy: 'off' | 'accounts' | 'open') {
  config().CLIENT_REGISTRATION = policy
}

async function registered(service: TestService, person: Caller, more: Partial<RequestInput<typeof registerClient>> = {}) {
  const client = await service.call(registerClient, { ...least, ...more }, person)
  const bearer = (await verify(service, client.registration_access_token)).caller
  return { ...client, bearer }
}

test('name and redirect URI suffice to register; secrets are shown once and stored as hashes', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const client = await auth.call(registerClient, least, person)
  expect(client).toMatchObject({
    ...least,
    client_id: expect.stringMatching(/^qt_ci_/),
    client_secret: expect.stringMatching(/^qt_cs_/),
    registration_access_token: expect.stringMatching(/^qt_crt_/),
    registration_client_uri: `http://127.0.0.1:8080/v1/oauth2/register/${client.client_id}`,
    client_secret_expires_at: 0,
    client_id_issued_at: Math.floor(Date.parse(client.created_at) / 1000),
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    client_uri: null,
    modified_at: null,
  })
  expect(client.scope).toContain('orders:read')
  const stored = JSON.stringify(await auth.rows('select * from clients'))
  expect(stored).not.toContain(client.client_secret)
  expect(stored).not.toContain(client.registration_access_token)
  expect(stored).toContain(hashToken(client.client_secret ?? ''))
  const { registration_access_token: _token, client_secret: _secret, ...read } = client
  expect(await auth.call(getClient, { client_id: client.client_id }, person)).toEqual(read)
})

test('a public client has no secret', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  expect(await auth.call(registerClient, { ...least, token_endpoint_auth_method: 'none' }, person)).not.toHaveProperty('client_secret')
})

test('stores all metadata of a client', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const metadata = {
    ...least,
    token_endpoint_auth_method: 'client_secret_basic' as const,
    grant_types: ['authorization_code' as const],
    scope: 'openid orders:read',
    client_uri: 'https://ledger.example.com',
    logo_uri: 'https://ledger.example.com/logo.png',
    tos_uri: 'https://ledger.example.com/terms',
    policy_uri: 'https://ledger.example.com/privacy',
    post_logout_redirect_uris: ['https://ledger.example.com/bye'],
    id_token_signed_response_alg: 'ES256' as const,
    dpop_bound_access_tokens: true,
  }
  expect(await auth.call(registerClient, metadata, person)).toMatchObject(metadata)
})

test('returns the errors of RFC 7591 for invalid metadata', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const register = (more: Partial<RequestInput<typeof registerClient>>) => auth.call(registerClient, { ...least, ...more }, person)
  await expect(register({ redirect_uris: ['http://ledger.example.com/callback'] })).rejects.toThrow(InvalidRedirectUri)
  await expect(register({ post_logout_redirect_uris: ['javascript:alert(1)'] })).rejects.toThrow(InvalidRedirectUri)
  await expect(register({ scope: 'orders:steal' })).rejects.toThrow(InvalidClientMetadata)
  await expect(register({ scope: '' })).rejects.toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } })
  expect(await auth.rows('select from clients')).toEqual([])
})

test('CLIENT_REGISTRATION decides who registers: accounts by default, the operator only, or all', async () => {
  const { service, person, application, organizationId } = await startWithUser()
  await using auth = service
  await expect(auth.call(registerClient, least, anonymous)).rejects.toThrow(Unauthorized)
  await expect(auth.call(registerClient, least, application)).rejects.toThrow(NotPermitted)
  await expect(auth.call(registerClient, least, organizationCaller(organizationId))).rejects.toThrow(NotPermitted)
  registrationIs('off')
  await expect(auth.call(registerClient, least, anonymous)).rejects.toThrow(NotPermitted)
  await expect(auth.call(registerClient, least, person)).rejects.toThrow(NotPermitted)
  expect(await auth.rows('select from clients')).toEqual([])
  registrationIs('open')
  await auth.call(registerClient, least, anonymous)
  await auth.call(registerClient, least, person)
  expect(await auth.rows('select account_id from clients order by created_at')).toMatchObject([
    { account_id: null },
    { account_id: person.user_id },
  ])
})

test('one network makes at most a quarter of the anonymous registrations of an hour', async () => {
  const { service } = await startWithUser()
  await using auth = service
  registrationIs('open')
  const from = (network: string) => auth.call(registerClient, least, { kind: 'anonymous', network })
  for (let count = 0; count < 25; count++) await from('203.0.113.7')
  await expect(from('203.0.113.7')).rejects.toThrow(TooManyRequests)
  await from('198.51.100.9')
})

test('limits anonymous registrations to 100 an hour, also concurrent ones, but not accounts', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  registrationIs('open')
  await auth.call(registerClient, least, anonymous)
  await auth.call(createClient, { name: 'Trusted', redirect_uris: least.redirect_uris, scopes: ['openid'] }, operator)
  await auth.rows(`insert into clients (id, created_at, client_id, name, redirect_uris, scopes, token_endpoint_auth_method, grant_types)
    select gen_random_uuid(), now() - interval '50 minutes', 'old' || n, 'Old', '{https://a.example}', '{openid}', 'none', '{authorization_code}'
    from generate_series(1, 97) n`)
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => auth.call(registerClient, least, anonymous)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  await expect(auth.call(registerClient, least, anonymous)).rejects.toThrow(TooManyRequests)
  await auth.call(registerClient, least, person)
  await auth.rows(`update clients set created_at = created_at - interval '11 minutes' where client_id like 'old%'`)
  await auth.call(registerClient, least, anonymous)
})

test('a registration token manages only its client, until the client is deleted', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  registrationIs('open')
  const own = await registered(auth, anonymous)
  const other = await registered(auth, person)
  expect(await verify(auth, own.registration_access_token)).toEqual({
    caller: { kind: 'client', client_id: own.client_id, token_id: `crt_${hashToken(own.registration_access_token).slice(0, 16)}` },
    scopes: [],
    expires_at: null,
    confirmation: null,
    grant_id: null,
  })
  expect((await auth.call(getClient, { client_id: own.client_id }, own.bearer)).client_name).toBe('Ledger')
  const renamed = await auth.call(updateClient, { ...least, client_id: own.client_id, client_name: 'Books' }, own.bearer)
  expect(renamed).toMatchObject({ client_id: own.client_id, client_name: 'Books', modified_at: expect.any(String) })
  expect(renamed).not.toHaveProperty('client_secret')
  await expect(auth.call(getClient, { client_id: other.client_id }, own.bearer)).rejects.toThrow(InvalidClient)
  await expect(auth.call(updateClient, { ...least, client_id: other.client_id }, own.bearer)).rejects.toThrow(InvalidClient)
  await expect(auth.call(deleteClient, { client_id: other.client_id }, own.bearer)).rejects.toThrow(InvalidClient)
  await expect(auth.call(listClients, {}, own.bearer)).rejects.toThrow(NotPermitted)
  await auth.call(deleteClient, { client_id: own.client_id }, own.bearer)
  await expect(verify(auth, own.registration_access_token)).rejects.toThrow(InvalidToken)
  await expect(auth.call(getClient, { client_id: own.client_id }, own.bearer)).rejects.toThrow(InvalidClient)
})

test('a user manages no unowned client, no operator’s client and no other user’s client', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const eve = userCallerFor(await addAccount(auth, 'eve@example.com'), [])
  registrationIs('open')
  const unowned = await registered(auth, anonymous)
  const trusted = await auth.call(createClient, { name: 'Trusted', redirect_uris: least.redirect_uris, scopes: ['openid'] }, operator)
  const adas = await registered(auth, person)
  for (const client_id of [unowned.client_id, trusted.client_id, adas.client_id, 'qt_ci_unknown']) {
    await expect(auth.call(getClient, { client_id }, eve)).rejects.toThrow(InvalidClient)
    await expect(auth.call(updateClient, { ...least, client_id }, eve)).rejects.toThrow(InvalidClient)
    await expect(auth.call(deleteClient, { client_id }, eve)).rejects.toThrow(InvalidClient)
  }
  expect((await auth.call(listClients, {}, eve)).items).toEqual([])
  expect(await auth.rows('select from clients where deleted_at is not null or modified_at is not null')).toEqual([])
})

test('an application cannot manage clients on behalf of a user', async () => {
  const { service, person, application } = await startWithUser()
  await using auth = service
  const { client_id } = await registered(auth, person)
  await expect(auth.call(listClients, {}, application)).rejects.toThrow(NotPermitted)
  await expect(auth.call(getClient, { client_id }, application)).rejects.toThrow(NotPermitted)
  await expect(auth.call(updateClient, { ...least, client_id }, application)).rejects.toThrow(NotPermitted)
  await expect(auth.call(deleteClient, { client_id }, application)).rejects.toThrow(NotPermitted)
})

test('a list shows whether there is a secret, never its value', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  await auth.call(registerClient, { ...least, client_name: 'B' }, person)
  await auth.call(registerClient, { ...least, client_name: 'A', token_endpoint_auth_method: 'none' }, person)
  const { items, pagination } = await auth.call(listClients, { sorting: ['client_name'] }, person)
  expect(items).toMatchObject([
    { client_name: 'A', client_secret: '' },
    { client_name: 'B', client_secret: '************' },
  ])
  expect(pagination).toEqual({ total_count: 2, max_page: 1 })
  expect((await auth.call(listClients, { limit: 1, page: 2 }, person)).items).toMatchObject([{ client_name: 'A' }])
})

test('an update replaces the whole configuration: absent fields return to their defaults', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const { client_id } = await registered(auth, person, { tos_uri: 'https://ledger.example.com/terms', dpop_bound_access_tokens: true })
  const updated = await auth.call(updateClient, { ...least, client_id, scope: 'openid' }, person)
  expect(updated).toMatchObject({ ...least, client_id, tos_uri: null, dpop_bound_access_tokens: false, scope: 'openid' })
  expect(await auth.call(getClient, { client_id }, person)).toEqual(updated)
})

test('a client that becomes public loses its secret; a confidential one is shown a new one', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const { client_id, client_secret } = await registered(auth, person)
  const change = (method: 'none' | 'client_secret_basic') =>
    auth.call(updateClient, { ...least, client_id, token_endpoint_auth_method: method }, person)
  expect(await change('client_secret_basic')).not.toHaveProperty('client_secret')
  expect(await change('none')).not.toHaveProperty('client_secret')
  expect(await auth.rows('select secret_hash from clients')).toEqual([{ secret_hash: null }])
  const again = await change('client_secret_basic')
  expect(again.client_secret).toMatch(/^qt_cs_/)
  expect(again.client_secret).not.toBe(client_secret)
  expect(await auth.rows('select secret_hash from clients')).toEqual([{ secret_hash: hashToken(again.client_secret ?? '') }])
})

test('rejects an update with server-set fields or another secret', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const { client_id, client_secret } = await registered(auth, person)
  const update = (more: object) => auth.call(updateClient, { ...least, client_id, ...more }, person)
  for (const key of ['registration_access_token', 'registration_client_uri', 'client_secret_expires_at', 'client_id_issued_at']) {
    await expect(update({ [key]: 0 })).rejects.toThrow(InvalidClientMetadata)
  }
  await expect(update({ client_secret: 'a chosen secret' })).rejects.toThrow(InvalidClientMetadata)
  await expect(update({ redirect_uris: ['https://ledger.example.com/#here'] })).rejects.toThrow(InvalidRedirectUri)
  expect(await auth.rows('select from clients where modified_at is not null')).toEqual([])
  await update({ client_secret, anything_else: true })
})

test('deleting a client ends everything issued to it, publishes it and deletes its consents', async () => {
  const { service, person, organizationId } = await startWithUser()
  await using auth = service
  const gone = await registered(auth, person)
  const remaining = await registered(auth, person)
  const userId = person.user_id
  const token = await addAccessToken(auth, await addGrant(auth, { userId, clientId: gone.client_id, organizationId }), {})
  const other = await addAccessToken(auth, await addGrant(auth, { userId, clientId: remaining.client_id, organizationId }), {})
  await auth.call(deleteClient, { client_id: gone.client_id }, person)
  expect(await auth.nextEvent(tokenRevoked)).toEqual({ token_hash: null, grant_id: null, client_id: gone.client_id, user_id: null })
  await expect(verify(auth, token)).rejects.toThrow(InvalidToken)
  expect((await verify(auth, other)).caller).toMatchObject({ client_id: remaining.client_id })
  const left = [{ client_id: remaining.client_id }]
  expect(await auth.rows('select client_id from grants')).toEqual(left)
  expect(await auth.rows('select client_id from consents')).toEqual(left)
  expect((await auth.call(listClients, {}, person)).items).toMatchObject(left)
  await expect(auth.call(deleteClient, { client_id: gone.client_id }, person)).rejects.toThrow(InvalidClient)
})

test('the operator’s clients are trusted; only confidential ones get a secret, shown once', async () => {
  await using auth = (await startWithUser()).service
  const base = { name: 'App', redirect_uris: ['http://127.0.0.1:8976/callback'], scopes: ['openid' as const] }
  expect(await auth.call(createClient, { ...base, is_public: true }, operator)).toMatchObject({ client_secret: null })
  const request = { ...base, post_logout_redirect_uris: ['http://127.0.0.1:8976/'] }
  const { client_secret } = await auth.call(createClient, request, operator)
  expect(client_secret).toMatch(/^qt_cs_/)
  expect(JSON.stringify(await auth.rows('select * from clients'))).not.toContain(client_secret)
  expect(await auth.rows('select is_trusted, post_logout_redirect_uris, registration_token_hash from clients order by created_at')).toEqual(
    [
      { is_trusted: true, post_logout_redirect_uris: [], registration_token_hash: null },
      { is_trusted: true, post_logout_redirect_uris: request.post_logout_redirect_uris, registration_token_hash: null },
    ],
  )
  await expect(auth.call(createClient, { ...base, redirect_uris: ['com.example.app:/'] }, operator)).rejects.toThrow(InvalidRedirectUri)
})

test('every change of a client sends a wake-up', async () => {
  const { service, person } = await startWithUser()
  await using auth = service
  const wakeUps = await listenForNotifications(auth.databaseUrl ?? '', createLogger('auth', 'silent'))
  let wakeUpCount = 0
  wakeUps.on('clients', () => void wakeUpCount++)
  const { client_id } = await auth.call(registerClient, least, person)
  await auth.call(updateClient, { ...least, client_id, client_name: 'Books' }, person)
  await auth.call(deleteClient, { client_id }, person)
  await auth.call(createClient, { name: 'App', redirect_uris: least.redirect_uris, scopes: ['openid'] }, operator)
  await eventually(() => expect(wakeUpCount).toBe(4))
  await wakeUps.close()
})
