import { authentication, postForm, type OAuthClient } from '@quittance/testing/oauth-client'
import { eventually } from '@quittance/testing/eventually'
import { callApi, type ApiResponse } from '@quittance/testing/system'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { useSharedProvider, type RunningProvider } from './provider.ts'

let provider: RunningProvider

beforeAll(async () => {
  provider = await useSharedProvider()
})

const endpoint = (name: string) => `${provider.baseUrl}/v1/oauth2/${name}`
const redirect_uris = ['https://app.example/callback']

function register(metadata: Record<string, unknown>): Promise<ApiResponse> {
  const body = { client_name: 'An app', redirect_uris, scope: 'openid', ...metadata }
  return callApi(endpoint('register'), { method: 'POST', token: provider.system.demo.personal_access_token, body })
}

describe('registration', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['http to another host', { redirect_uris: ['http://app.example/callback'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://app.example/callback#x'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['data', { redirect_uris: ['data:text/html,x'] }, 'invalid_redirect_uri'],
    ['a wildcard', { redirect_uris: ['https://*.app.example/callback'] }, 'invalid_redirect_uri'],
    ['user info', { redirect_uris: ['https://app.example@evil.example/callback'] }, 'invalid_redirect_uri'],
    ['a script after logout', { post_logout_redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['no redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri|invalid_client_metadata|RequestValidationError'],
    ['an unknown scope', { scope: 'openid bogus' }, 'invalid_client_metadata'],
    ['a client page that is a script', { client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
  ])('rejects %s [127]', async (_, metadata, error) => {
    const { status, body } = await register(metadata)
    expect([400, 422]).toContain(status)
    expect(body).toMatchObject({ error: expect.stringMatching(new RegExp(`^(${error})$`)), detail: expect.anything() })
  })

  test('requires a user’s token [127]', async () => {
    const rejected = await callApi(endpoint('register'), { method: 'POST', token: null, body: { client_name: 'x', redirect_uris } })
    expect(rejected).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
    expect(rejected.headers.get('www-authenticate')).toMatch(/^Bearer .*resource_metadata=/)
    const { organization_access_token: token } = provider.system.demo
    const asOrganization = await callApi(endpoint('register'), { method: 'POST', token, body: { client_name: 'x', redirect_uris } })
    expect([401, 403]).toContain(asOrganization.status)
  })

  test('with openid-client returns a working client; a public one has no secret [128]', async () => {
    const { redirect_uri } = provider.publicClient
    const metadata = { client_name: 'A single-page app', redirect_uris: [redirect_uri], scope: 'openid email' }
    const options = { initialAccessToken: provider.system.demo.personal_access_token, execute: [oidc.allowInsecureRequests] }
    const issuer = new URL(provider.baseUrl)
    const open = await oidc.dynamicClientRegistration(issuer, { ...metadata, token_endpoint_auth_method: 'none' }, oidc.None(), options)
    expect(open.clientMetadata()).not.toHaveProperty('client_secret')
    const { client_id } = open.clientMetadata()
    expect(await provider.obtainTokens({ client: { client_id, redirect_uri } })).toMatchObject({ scope: 'openid' })
    const confidential = (await oidc.dynamicClientRegistration(issuer, metadata, undefined, options)).clientMetadata()
    expect(confidential).toMatchObject({ client_secret: expect.any(String), client_secret_expires_at: 0 })
    const client = { client_id: confidential.client_id, client_secret: String(confidential.client_secret), redirect_uri }
    expect(await provider.obtainTokens({ client })).toMatchObject({ scope: 'openid' })
  })

  test('requires its own token to read, change and delete; a deleted client is unknown [128]', async () => {
    const { redirect_uri } = provider.confidential
    const { status, body } = await register({ redirect_uris: [redirect_uri] })
    expect(status).toBe(201)
    const { registration_access_token: token, registration_client_uri: url, client_id, client_secret } = body
    const other = (await register({})).body.registration_access_token as string
    const update = { client_id, client_name: 'Renamed', redirect_uris: [redirect_uri], scope: 'openid' }
    for (const wrong of [null, other, 'qt_crt_unknown', provider.system.demo.organization_access_token]) {
      expect([401, 403]).toContain((await callApi(url, { method: 'GET', token: wrong })).status)
      expect([401, 403]).toContain((await callApi(url, { method: 'PUT', token: wrong, body: update })).status)
      expect([401, 403]).toContain((await callApi(url, { method: 'DELETE', token: wrong })).status)
    }
    const read = await callApi(url, { method: 'GET', token })
    expect(read).toMatchObject({ status: 200, body: { client_id, client_name: 'An app' } })
    expect(JSON.stringify(read.body)).not.toContain(client_secret)
    expect(await callApi(url, { method: 'PUT', token, body: update })).toMatchObject({ status: 200, body: { client_name: 'Renamed' } })
    const client: OAuthClient = { client_id, client_secret, redirect_uri }
    const { refresh_token } = await provider.obtainTokens({ client })
    expect((await callApi(url, { method: 'DELETE', token })).status).toBe(204)
    expect((await callApi(url, { method: 'GET', token })).status).toBe(401)
    const tryToRefresh = () => postForm(endpoint('token'), { grant_type: 'refresh_token', refresh_token, ...authentication(client) })
    // The grant ends with the client; replicas that remember the client are notified after the commit.
    expect((await tryToRefresh()).body.error).toMatch(/^invalid_(client|grant)$/)
    await eventually(async () => expect(await tryToRefresh()).toMatchObject({ status: 401, body: { error: 'invalid_client' } }))
    const page = await provider.openAuthorizationPage({ client_id })
    expect(page).toMatchObject({ status: 400, body: expect.stringContaining('invalid_client') })
  })
})

describe('signing out', () => {
  const postLogoutUri = 'http://127.0.0.1:8976/'

  async function signedIn() {
    const browser = provider.newBrowser()
    const { id_token } = await provider.obtainTokens({ browser, parameters: { sub_type: 'user' } })
    return { browser, id_token }
  }

  const readSilentError = async (browser: ReturnType<RunningProvider['newBrowser']>) =>
    (await provider.openAuthorizationPage({ sub_type: 'user', prompt: 'none' }, browser)).url.searchParams.get('error')

  test('asks for confirmation, then redirects to the client with its state [129]', async () => {
    const { browser, id_token } = await signedIn()
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: postLogoutUri, state: 'a b' }
    const page = await browser.get(oidc.buildEndSessionUrl(await provider.configure(), parameters).href)
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('Sign out?') })
    expect(await readSilentError(browser)).toBeNull()
    const { url } = await browser.submit(page, { logout: 'yes' })
    expect(url.origin + url.pathname).toBe(postLogoutUri)
    expect([...url.searchParams]).toEqual([['state', 'a b']])
    expect(await readSilentError(browser)).toBe('login_required')
  })

  test('can be declined [129]', async () => {
    const { browser, id_token } = await signedIn()
    const page = await browser.get(oidc.buildEndSessionUrl(await provider.configure(), { id_token_hint: id_token }).href)
    await browser.submit(page, {})
    expect(await readSilentError(browser)).toBeNull()
  })

  test('never redirects to an address that the client did not register [129]', async () => {
    const { browser, id_token } = await signedIn()
    for (const post_logout_redirect_uri of ['https://evil.example/', `${postLogoutUri}other`]) {
      const url = oidc.buildEndSessionUrl(await provider.configure(), { id_token_hint: id_token, post_logout_redirect_uri })
      const response = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } })
      expect(response.status).toBe(400)
      expect(response.headers.get('location')).toBeNull()
    }
    expect(await readSilentError(browser)).toBeNull()
  })
})

describe('the API as a protected resource', () => {
  const orders = (token: string | null) => callApi(`${provider.baseUrl}/v1/orders/`, { method: 'GET', token })

  test('publishes its authorization server in metadata that oauth4webapi accepts [131]', async () => {
    const resource = new URL(provider.baseUrl)
    const response = await oauth.resourceDiscoveryRequest(resource, { [oauth.allowInsecureRequests]: true })
    expect(await response.clone().json()).toMatchObject({ resource: provider.baseUrl })
    const metadata = await oauth.processResourceDiscoveryResponse(resource, response)
    expect(metadata).toMatchObject({ authorization_servers: [provider.baseUrl], bearer_methods_supported: ['header'] })
    expect(metadata.scopes_supported).toEqual(expect.arrayContaining(['openid', 'orders:read']))
  })

  test.each(['orders/', 'products/', 'customers/', 'users/me', 'organizations/', 'webhooks/endpoints', 'oauth2/'])(
    'challenges calls of %s without a valid token and names its metadata [132]',
    async (path) => {
      const metadataParameter = `resource_metadata="${provider.baseUrl}/.well-known/oauth-protected-resource"`
      for (const token of [null, 'qt_at_unknown', 'x.y.z', 'nonsense']) {
        const { status, headers, body } = await callApi(`${provider.baseUrl}/v1/${path}`, { method: 'GET', token })
        expect(status).toBe(401)
        expect(headers.get('www-authenticate')).toMatch(/^Bearer /)
        expect(headers.get('www-authenticate')).toContain(metadataParameter)
        expect(body).toMatchObject({ error: expect.any(String), detail: expect.any(String) })
      }
    },
  )

  test('names the missing scope of a token [133]', async () => {
    const { access_token } = await provider.obtainTokens({ parameters: { scope: 'openid products:read' } })
    const { status, headers, body } = await orders(access_token)
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="insufficient_scope".*scope="orders:read"/)
    expect(body).toMatchObject({ error: 'insufficient_scope', detail: expect.any(String) })
  })

  test('accepts personal, organization and OAuth tokens, each within its organizations [135]', async () => {
    const { personal_access_token, organization_access_token, second_organization, paid_order_id } = provider.system.demo
    const parameters = { scope: 'orders:read' }
    const organization = (await provider.obtainTokens({ parameters })).access_token
    const person = (await provider.obtainTokens({ parameters: { ...parameters, sub_type: 'user' } })).access_token
    for (const token of [personal_access_token, organization_access_token, organization, person]) {
      expect((await callApi(`${provider.baseUrl}/v1/orders/${paid_order_id}`, { method: 'GET', token })).status).toBe(200)
    }
    const answer: { action: 'allow'; organization_id: string } = { action: 'allow', organization_id: second_organization.id }
    const foreign = (await provider.obtainTokens({ parameters, answer })).access_token
    expect(await callApi(`${provider.baseUrl}/v1/orders/${paid_order_id}`, { method: 'GET', token: foreign })).toMatchObject({
      status: 404,
    })
    expect((await orders(foreign)).body.items).toEqual([])
    expect((await orders(organization)).body.items.length).toBeGreaterThan(0)
  })
})

describe('web pages of other origins', () => {
  const registeredOrigin = 'http://127.0.0.1:8976'
  const preflight = (name: string, origin: string) =>
    fetch(endpoint(name), {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    })

  test.each(['token', 'userinfo', 'revoke'])('receive a preflight response at %s [136]', async (name) => {
    const { status, headers } = await preflight(name, registeredOrigin)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(registeredOrigin)
    expect(headers.get('access-control-allow-methods')).toContain('POST')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('use token, userinfo and revoke only from a registered origin of the public client [136]', async () => {
    const tokens = await provider.obtainTokens({ client: provider.publicClient })
    const { client_id } = provider.publicClient
    const userinfo = (origin: string) =>
      fetch(endpoint('userinfo'), { headers: { origin, authorization: `Bearer ${tokens.access_token}` } })
    const foreign = 'https://evil.example'
    const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id }
    const rejections = [
      await postForm(endpoint('token'), fields, { origin: foreign }),
      await userinfo(foreign),
      await postForm(endpoint('revoke'), { token: tokens.refresh_token, client_id }, { origin: foreign }),
    ]
    for (const { status, headers } of rejections) {
      expect(status).toBe(400)
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
    const allowed = await postForm(endpoint('token'), fields, { origin: registeredOrigin })
    const responses = [
      await userinfo(registeredOrigin),
      allowed,
      await postForm(endpoint('revoke'), { token: allowed.body.refresh_token, client_id }, { origin: registeredOrigin }),
    ]
    for (const { status, headers } of responses) {
      expect(status).toBe(200)
      expect(headers.get('access-control-allow-origin')).toBe(registeredOrigin)
    }
  })
})
