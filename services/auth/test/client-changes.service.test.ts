import { tokenRevoked, verifyGrant, verifyToken } from '@quittance/contracts/auth'
import { updateClient } from '@quittance/contracts/clients'
import type { RequestInput } from '@quittance/contracts/operation'
import { hashToken } from '@quittance/runtime/credential'
import { eventually } from '@quittance/testing/eventually'
import { refresh } from '@quittance/testing/oauth-client'
import { createSystemSql } from '@quittance/sql/sql-runner'
import { expect, test } from 'vitest'
import { clientStore } from '../src/provider/client-store.ts'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'
import { askFor, toOwnerCaller, registerThirdParty, tokensFor } from './third-party.ts'

const anonymous = { kind: 'anonymous' } as const
const least = { client_name: 'Ledger', scope: 'openid email' }
const here = 'https://ledger.example.com/callback'
const elsewhere = 'https://evil.example/callback'

async function startWithConsent() {
  const server = await startAuthorizationServer()
  const client = await registerThirdParty(server)
  const browser = server.newBrowser()
  const { body: tokens } = await tokensFor(server, { client, browser })
  const update = (more: Partial<RequestInput<typeof updateClient>>) =>
    server.service.call(updateClient, { ...least, client_id: client.client_id, redirect_uris: [here], ...more }, toOwnerCaller(server))
  const silently = (parameters: Record<string, string> = {}) =>
    askFor(server, { client, browser, parameters: { prompt: 'none', ...parameters } })
  return { server, client, browser, tokens, update, silently }
}

const isAccepted = (server: AuthorizationServerUnderTest, token: string) =>
  server.service.call(verifyToken, { hash: hashToken(token) }, anonymous).then(
    () => true,
    () => false,
  )

test.each<[string, Partial<RequestInput<typeof updateClient>>]>([
  ['another address', { redirect_uris: [elsewhere] }],
  ['one address more', { redirect_uris: [here, elsewhere] }],
  ['an address less', { redirect_uris: ['https://ledger.example.com/other'] }],
  ['no authentication any more', { token_endpoint_auth_method: 'none' }],
  ['another authentication', { token_endpoint_auth_method: 'client_secret_basic' }],
])('a client that gets %s loses every token, refresh and remembered consent', async (_, change) => {
  const { server: started, client, browser, tokens, update } = await startWithConsent()
  await using server = started
  expect(await isAccepted(server, tokens.access_token)).toBe(true)
  await update(change)
  expect(await isAccepted(server, tokens.access_token)).toBe(false)
  const refreshed = await refresh(server.origin, {
    client: { client_id: client.client_id, client_secret: client.client_secret ?? null, redirect_uri: here },
    token: tokens.refresh_token,
  })
  expect(refreshed.status).toBeGreaterThanOrEqual(400)
  const redirect_uri = change.redirect_uris?.at(-1) ?? here
  await eventually(async () => {
    const page = await askFor(server, { client, browser, parameters: { redirect_uri } })
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('value="allow"') })
  })
  const silent = await askFor(server, { client, browser, parameters: { redirect_uri, prompt: 'none' } })
  expect(silent.url.searchParams.has('code')).toBe(false)
})

test('publishes the changed client, and its grants end for JWT access tokens too', async () => {
  const { server: started, client, update } = await startWithConsent()
  await using server = started
  const [grant] = await server.service.rows<{ id: string }>('select id from grants')
  const ask = () => server.service.call(verifyGrant, { grant_id: grant?.id ?? '', token_id: 'jti' }, anonymous)
  expect((await ask()).caller).toMatchObject({ client_id: client.client_id })
  await update({ redirect_uris: [elsewhere] })
  await expect(ask()).rejects.toThrow()
  const received: (string | null)[] = []
  while (received.length < 10 && !received.includes(client.client_id))
    received.push((await server.service.nextEvent(tokenRevoked)).client_id)
  expect(received).toContain(client.client_id)
})

test('any other change, or the same configuration again, ends nothing', async () => {
  const { server: started, tokens, update, silently } = await startWithConsent()
  await using server = started
  await update({ client_name: 'Books', tos_uri: 'https://ledger.example.com/terms' })
  await update({ client_name: 'Books', redirect_uris: [here] })
  expect(await isAccepted(server, tokens.access_token)).toBe(true)
  expect((await silently()).url.searchParams.get('code')).toMatch(/^qt_ac_/)
  expect(await server.service.rows('select from client_change_notices')).toEqual([])
})

test('affected users see a notice on their account page', async () => {
  const { server: started, browser, update } = await startWithConsent()
  await using server = started
  const accountPage = async () => (await browser.get(`${server.origin}/oauth2/account`)).body
  expect(await accountPage()).not.toContain('What you')
  await update({ redirect_uris: [elsewhere] })
  const body = await accountPage()
  expect(body).toMatch(/<bdi>Ledger<\/bdi><\/strong> changed where it receives its access/)
  expect(await server.service.rows('select account_id from client_change_notices')).toEqual([{ account_id: server.person.id }])
})

test('a consent page from before a change does not restore a consent', async () => {
  const { server: started, client, browser, update } = await startWithConsent()
  await using server = started
  const page = await askFor(server, { client, browser, parameters: { prompt: 'consent' } })
  await update({ redirect_uris: [elsewhere] })
  await browser.submit(page, { action: 'allow' }, '/consent')
  expect(await server.service.rows('select from consents')).toEqual([])
})

test('a client that is changed while it is read is not remembered as it was', async () => {
  await using server = await startAuthorizationServer()
  const systemSql = createSystemSql({ execute: ({ text }, values) => server.service.rows(text, [...values]) }, 'reads as the service does')
  const { adapter, clear } = clientStore(systemSql, new Set(), { refresh: async () => false })
  const find = async () => (await adapter.find?.(server.client.client_id))?.['client_name'] as unknown
  const reading = find()
  clear()
  expect(await reading).toBe('App')
  await server.service.rows(`update clients set name = 'Renamed' where client_id = $1`, [server.client.client_id])
  expect(await find()).toBe('Renamed')
})
