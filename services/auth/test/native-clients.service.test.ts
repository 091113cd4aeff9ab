import { createClient, registerClient } from '@quittance/contracts/clients'
import { InvalidRedirectUri } from '@quittance/contracts/errors'
import { expect, test } from 'vitest'
import { startAuthorizationServer } from './start-authorization-server.ts'
import { allowFor, askFor, toOwnerCaller, registerThirdParty, tokensFor } from './third-party.ts'

const native = { token_endpoint_auth_method: 'none' as const }

test.each(['http://192.168.1.10/cb', 'http://10.0.0.5/cb', 'http://172.16.0.1/cb'])(
  'rejects http beyond loopback, also if registered before: %s (RFC 9700 §2.6)',
  async (uri) => {
    await using server = await startAuthorizationServer()
    await expect(registerThirdParty(server, { redirect_uris: [uri] })).rejects.toThrow(InvalidRedirectUri)
    const request = { name: 'App', redirect_uris: [uri], scopes: ['openid' as const] }
    await expect(server.service.call(createClient, request, { kind: 'operator' })).rejects.toThrow(InvalidRedirectUri)
    const before = await registerThirdParty(server)
    await server.service.rows('update clients set redirect_uris = $1 where client_id = $2', [[uri], before.client_id])
    const page = await askFor(server, { client: { ...before, redirect_uris: [uri] }, browser: server.newBrowser() })
    expect(page).toMatchObject({ status: 400, body: expect.stringContaining('invalid_redirect_uri') })
    expect(page.headers.get('location')).toBeNull()
  },
)

test.each([
  ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb'],
  ['http://[::1]/cb', 'http://[::1]:49152/cb'],
])('a client on %s receives its code at the port it listens on (RFC 8252 §7.3)', async (registered, listening) => {
  await using server = await startAuthorizationServer()
  const client = await registerThirdParty(server, { ...native, redirect_uris: [registered] })
  const parameters = { redirect_uri: listening }
  expect(await tokensFor(server, { client, browser: server.newBrowser(), parameters })).toMatchObject({ status: 200 })
  const otherPath = await askFor(server, { client, browser: server.newBrowser(), parameters: { redirect_uri: `${listening}/other` } })
  expect(otherPath).toMatchObject({ status: 400, body: expect.stringContaining('invalid_redirect_uri') })
})

test('a page on any port of 127.0.0.1 reads the token reply of a client that is registered there', async () => {
  await using server = await startAuthorizationServer()
  const { client_id } = await registerThirdParty(server, { ...native, redirect_uris: ['http://127.0.0.1:8976/callback'] })
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id, code: 'x', redirect_uri: 'x' })
  const ask = async (origin: string) => {
    const { headers } = await fetch(`${server.origin}/v1/oauth2/token`, { method: 'POST', headers: { origin }, body })
    return headers.get('access-control-allow-origin')
  }
  for (const origin of ['http://127.0.0.1:8976', 'http://127.0.0.1:49152', 'http://127.0.0.1']) expect(await ask(origin)).toBe(origin)
  for (const origin of ['http://localhost:8976', 'https://127.0.0.1:49152', 'http://[::1]:8976', 'http://127.0.0.1.evil.example'])
    expect(await ask(origin)).toBeNull()
})

test('localhost and https must match exactly as registered', async () => {
  await using server = await startAuthorizationServer()
  for (const [registered, requested] of [
    ['http://localhost/cb', 'http://localhost:49152/cb'],
    ['https://app.example/cb', 'https://app.example:8443/cb'],
  ] as const) {
    const client = await registerThirdParty(server, { ...native, redirect_uris: [registered] })
    const page = await askFor(server, { client, browser: server.newBrowser(), parameters: { redirect_uri: requested } })
    expect(page).toMatchObject({ status: 400, body: expect.stringContaining('invalid_redirect_uri') })
  }
})

test('a private-use scheme receives its code, and the page allows the form (RFC 8252 §7.1)', async () => {
  await using server = await startAuthorizationServer()
  const redirect_uri = 'com.example.app:/cb'
  const client = await registerThirdParty(server, { ...native, redirect_uris: [redirect_uri] })
  const browser = server.newBrowser()
  const page = await askFor(server, { client, browser })
  expect(page.headers.get('content-security-policy')).not.toContain('form-action')
  expect(await tokensFor(server, { client, browser })).toMatchObject({ status: 200 })
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'myapp:/cb', 'file:///etc/passwd', 'intent://x#Intent;end'])(
  'rejects a scheme that is not a reversed domain name: %s',
  async (uri) => {
    await using server = await startAuthorizationServer()
    const metadata = { client_name: 'App', ...native, redirect_uris: [uri] }
    await expect(server.service.call(registerClient, metadata, toOwnerCaller(server))).rejects.toThrow(InvalidRedirectUri)
  },
)

test.each(['http://127.0.0.1:8976/cb', 'http://localhost:8976/cb', 'com.example.app:/cb'])(
  '%s gets no code without a page, however often it was allowed (RFC 8252 §8.6)',
  async (redirect_uri) => {
    await using server = await startAuthorizationServer()
    const client = await registerThirdParty(server, { ...native, redirect_uris: [redirect_uri] })
    const browser = server.newBrowser()
    for (let round = 0; round < 2; round++) {
      const page = await allowFor(server, { client, browser })
      expect(page.url.searchParams.get('code')).toMatch(/^qt_ac_/)
      const again = await askFor(server, { client, browser })
      expect(again).toMatchObject({ status: 200, body: expect.stringContaining('value="allow"') })
      const silent = await askFor(server, { client, browser, parameters: { prompt: 'none' } })
      expect(silent.url.searchParams.get('error')).toMatch(/^(consent|interaction)_required$/)
    }
  },
)

test('a remembered consent is valid with a secret, or at an https address of the client', async () => {
  await using server = await startAuthorizationServer()
  for (const metadata of [{ redirect_uris: ['http://127.0.0.1:8976/cb'] }, { ...native, redirect_uris: ['https://app.example/cb'] }]) {
    const client = await registerThirdParty(server, metadata)
    const browser = server.newBrowser()
    await allowFor(server, { client, browser })
    expect((await askFor(server, { client, browser })).url.searchParams.get('code')).toMatch(/^qt_ac_/)
  }
})
