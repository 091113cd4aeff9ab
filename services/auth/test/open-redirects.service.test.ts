import { expect, test } from 'vitest'
import { startAuthorizationServer } from './start-authorization-server.ts'
import { allowFor, askFor, registerThirdParty } from './third-party.ts'

const stays = { status: 400, body: expect.stringContaining('This request was not completed') }

test.each<[string, Record<string, string>]>([
  ['an unknown scope', { scope: 'nonsense' }],
  ['a scope that is not the client’s', { scope: 'openid orders:read' }],
  ['another response type', { response_type: 'token' }],
  ['another response mode', { response_mode: 'form_post' }],
  ['an invalid additional parameter', { sub_type: 'bogus' }],
  ['a request without a session', { prompt: 'none' }],
])('shows a page instead of redirecting to an unverified client for %s (RFC 9700 §4.11.2)', async (_, parameters) => {
  await using server = await startAuthorizationServer()
  const client = await registerThirdParty(server)
  const stranger = await askFor(server, { client, browser: server.newBrowser(), parameters: { state: 's', ...parameters } })
  expect(stranger).toMatchObject(stays)
  expect(stranger.headers.get('location')).toBeNull()
  expect(stranger.body).toContain('href="https://ledger.example.com/callback?error=')
  const signedIn = server.newBrowser()
  await allowFor(server, { client: await registerThirdParty(server, { client_name: 'Other' }), browser: signedIn })
  expect(await askFor(server, { client, browser: signedIn, parameters })).toMatchObject(stays)
})

test('redirects a user who denied or who allowed the client before', async () => {
  await using server = await startAuthorizationServer()
  const client = await registerThirdParty(server)
  const browser = server.newBrowser()
  const signIn = await askFor(server, { client, browser })
  const consent = await browser.submit(signIn, { ...server.person }, '/sign-in')
  const denied = await browser.submit(consent, { action: 'deny' }, '/consent')
  expect(denied.url.href).toContain('https://ledger.example.com/callback?error=access_denied')
  await allowFor(server, { client, browser })
  const wrong = await askFor(server, { client, browser, parameters: { scope: 'nonsense' } })
  expect(wrong.url.href).toContain('https://ledger.example.com/callback?error=invalid_scope')
  const silent = await askFor(server, { client, browser, parameters: { prompt: 'none', scope: 'openid email' } })
  expect(silent.url.searchParams.get('error')).toBe('consent_required')
})

test('a hidden frame with prompt=none receives its error', async () => {
  await using server = await startAuthorizationServer()
  const { client_id, redirect_uris } = await registerThirdParty(server)
  const query = { response_type: 'code', client_id, redirect_uri: redirect_uris[0] ?? '', scope: 'openid', prompt: 'none' }
  const url = `${server.origin}/oauth2/authorize?${new URLSearchParams(query)}`
  const framed = await server.newBrowser().get(url, { 'sec-fetch-dest': 'iframe' })
  expect(framed.url.searchParams.get('error')).toBe('login_required')
  expect((await server.newBrowser().get(url, { 'sec-fetch-dest': 'document' })).status).toBe(400)
})

test('a client of the operator receives every error', async () => {
  await using server = await startAuthorizationServer()
  const client = { ...server.client, redirect_uris: [server.client.redirect_uri], client_secret: undefined }
  for (const [parameters, error] of [
    [{ scope: 'nonsense' }, 'invalid_scope'],
    [{ prompt: 'none' }, 'login_required'],
  ] as const) {
    const visit = await askFor(server, { client: client as never, browser: server.newBrowser(), parameters })
    expect(visit.url.searchParams.get('error')).toBe(error)
  }
})

test.each(['fragment', 'form_post', 'web_message', 'query.jwt'])(
  'rejects the response mode %s, which the metadata does not announce, in the query',
  async (response_mode) => {
    await using server = await startAuthorizationServer()
    const metadata = await (await fetch(`${server.origin}/.well-known/openid-configuration`)).json()
    expect(metadata).toMatchObject({ response_modes_supported: ['query'] })
    const client = { ...server.client, redirect_uris: [server.client.redirect_uri], client_secret: undefined }
    const browser = server.newBrowser()
    const { url } = await askFor(server, { client: client as never, browser, parameters: { response_mode, state: 's' } })
    expect(url.hash).toBe('')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'unsupported_response_mode', state: 's' })
    const { client_id, client_secret, redirect_uri } = server.client
    const body = new URLSearchParams({
      response_type: 'code',
      scope: 'openid',
      response_mode,
      client_id,
      client_secret: client_secret ?? '',
      redirect_uri,
    })
    expect((await fetch(`${server.origin}/v1/oauth2/par`, { method: 'POST', body })).status).toBe(400)
  },
)
