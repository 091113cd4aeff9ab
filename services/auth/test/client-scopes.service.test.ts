import { tokenRevoked, verifyGrant, verifyToken } from '@quittance/contracts/auth'
import { updateClient } from '@quittance/contracts/clients'
import { hashToken } from '@quittance/runtime/credential'
import { refresh } from '@quittance/testing/oauth-client'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'
import { askFor, toOwnerCaller, registerThirdParty, tokensFor } from './third-party.ts'

const anonymous = { kind: 'anonymous' } as const
const callback = 'https://ledger.example.com/callback'

async function startWithScopes() {
  const server = await startAuthorizationServer()
  const registered = await registerThirdParty(server)
  const client = { client_id: registered.client_id, client_secret: registered.client_secret ?? null, redirect_uri: callback }
  const browser = server.newBrowser()
  const authorize = async (scope: string) => {
    const { body } = await tokensFor(server, { client: registered, browser, parameters: { scope } })
    const [grant] = await server.service.rows<{ id: string }>('select id from grants order by created_at desc limit 1')
    return { ...body, grantId: grant?.id ?? '' } as { access_token: string; refresh_token: string; grantId: string }
  }
  const ask = (scope: string, more: Record<string, string> = {}) =>
    askFor(server, { client: registered, browser, parameters: { scope, ...more } })
  const changeScope = (scope: string) =>
    server.service.call(
      updateClient,
      { client_name: 'Ledger', client_id: client.client_id, redirect_uris: [callback], scope },
      toOwnerCaller(server),
    )
  return { server, client, browser, authorize, ask, changeScope }
}

const isAccepted = (server: AuthorizationServerUnderTest, token: string) =>
  server.service.call(verifyToken, { hash: hashToken(token) }, anonymous).then(
    () => true,
    () => false,
  )

test('a client that loses a scope loses every authorization with it, and keeps the others', async () => {
  const { server: started, client, authorize, changeScope } = await startWithScopes()
  await using server = started
  const wide = await authorize('openid email')
  const narrow = await authorize('openid')
  const verifyWideGrant = () => server.service.call(verifyGrant, { grant_id: wide.grantId, token_id: 'jti' }, anonymous)
  await verifyWideGrant()
  await changeScope('openid')
  await expect(verifyWideGrant()).rejects.toThrow()
  expect([await isAccepted(server, wide.access_token), await isAccepted(server, narrow.access_token)]).toEqual([false, true])
  const renew = (token: string) => refresh(server.origin, { client, token })
  expect(await renew(wide.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await renew(narrow.refresh_token)).toMatchObject({ status: 200, body: { scope: 'openid' } })
})

test('gateways evict the cached tokens of a client that loses a scope', async () => {
  const { server: started, client, authorize, changeScope } = await startWithScopes()
  await using server = started
  await authorize('openid email')
  await changeScope('openid')
  const received: (string | null)[] = []
  while (received.length < 10 && !received.includes(client.client_id))
    received.push((await server.service.nextEvent(tokenRevoked)).client_id)
  expect(received).toContain(client.client_id)
})

test('consent to the remaining scopes stays; a scope that returns needs consent again', async () => {
  const { server: started, authorize, ask, changeScope } = await startWithScopes()
  await using server = started
  await authorize('openid email')
  await changeScope('openid')
  expect(await server.service.rows('select scopes from consents')).toEqual([{ scopes: ['openid'] }])
  expect((await ask('openid', { prompt: 'none' })).url.searchParams.get('code')).toMatch(/^qt_ac_/)
  await changeScope('openid email')
  await eventually(async () => {
    const silent = await ask('openid email', { prompt: 'none' })
    expect(silent.url.searchParams.get('error')).toBe('consent_required')
  })
})

test('a consent page from before the client lost a scope grants nothing: invalid_scope', async () => {
  const { server: started, browser, ask, authorize, changeScope } = await startWithScopes()
  await using server = started
  await authorize('openid')
  const page = await ask('openid email')
  await changeScope('openid')
  const { url } = await browser.submit(page, { action: 'allow' }, '/consent')
  expect(url.origin + url.pathname).toBe(callback)
  expect(url.searchParams.get('error')).toBe('invalid_scope')
  expect(await server.service.rows('select scopes from consents')).toEqual([{ scopes: ['openid'] }])
  expect(await server.service.rows(`select from grants where payload->'openid'->>'scope' like '%email%'`)).toEqual([])
})
