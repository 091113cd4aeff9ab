import { eventually } from '@quittance/testing/eventually'
import { readAuthorizationCode, postForm, exchangeCode } from '@quittance/testing/oauth-client'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { isExternalSystem } from '@quittance/testing/use-shared-system'
import { useSharedProvider, type RunningProvider } from './provider.ts'
import { rawRequest } from './raw-request.ts'

let provider: RunningProvider

beforeAll(async () => {
  provider = await useSharedProvider()
})

type Metadata = Record<string, unknown>

async function readMetadata(name = 'openid-configuration'): Promise<Metadata> {
  return (await (await fetch(`${provider.baseUrl}/.well-known/${name}`)).json()) as Metadata
}

describe('metadata', () => {
  test('the OpenID configuration is JSON at the issuer and names exactly that issuer [1]', async () => {
    const response = await fetch(`${provider.baseUrl}/.well-known/openid-configuration`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(await response.json()).toMatchObject({ issuer: provider.baseUrl })
  })

  test('the OAuth metadata equals the OpenID configuration [2]', async () => {
    expect(await readMetadata('oauth-authorization-server')).toEqual(await readMetadata())
  })

  test('page endpoints are at the page address, API endpoints at the API address [3]', async () => {
    const { authUrl, baseUrl } = provider
    expect(await readMetadata()).toMatchObject({
      authorization_endpoint: `${authUrl}/oauth2/authorize`,
      end_session_endpoint: `${authUrl}/oauth2/logout`,
      token_endpoint: `${baseUrl}/v1/oauth2/token`,
      userinfo_endpoint: `${baseUrl}/v1/oauth2/userinfo`,
    })
  })

  test('the document does not depend on the host of a request [4]', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    }
    const { status, body } = await rawRequest(`${provider.baseUrl}/.well-known/openid-configuration`, { headers })
    expect(status).toBe(200)
    expect(JSON.parse(body)).toEqual(await readMetadata())
    expect(body).not.toContain('evil')
  })

  test('supports only the response type code [5]', async () => {
    expect((await readMetadata()).response_types_supported).toEqual(['code'])
  })

  test('supports only the PKCE method S256 [6]', async () => {
    expect((await readMetadata()).code_challenge_methods_supported).toEqual(['S256'])
  })

  test('supports code and refresh token grants, neither implicit nor password [7]', async () => {
    expect((await readMetadata()).grant_types_supported).toEqual(['authorization_code', 'refresh_token'])
  })

  test('supports RS256 for ID tokens, not none [8]', async () => {
    const { id_token_signing_alg_values_supported: algorithms } = await readMetadata()
    expect(algorithms).toContain('RS256')
    expect(algorithms).not.toContain('none')
  })

  test('announces the issuer parameter of callbacks [9]', async () => {
    expect(await readMetadata()).toMatchObject({ authorization_response_iss_parameter_supported: true })
  })

  test('announces the scopes and claims of OpenID Connect [10]', async () => {
    const { scopes_supported, claims_supported } = await readMetadata()
    expect(scopes_supported).toEqual(expect.arrayContaining(['openid', 'email']))
    expect(claims_supported).toEqual(expect.arrayContaining(['sub', 'email', 'email_verified']))
  })

  test('announces the client authentication methods [11]', async () => {
    expect((await readMetadata()).token_endpoint_auth_methods_supported).toEqual(['client_secret_post', 'client_secret_basic', 'none'])
  })

  test('serves every endpoint of the document [12]', async () => {
    const endpoints = Object.entries(await readMetadata()).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')
    expect(endpoints.length).toBeGreaterThanOrEqual(9)
    for (const [name, url] of endpoints) {
      const method = /authorization_endpoint|userinfo|end_session|jwks/.test(name) && !name.startsWith('pushed') ? 'GET' : 'POST'
      const { status } = await fetch(url as string, { method, redirect: 'manual' })
      expect([404, 405, 500, 503], `${name} returns ${status}`).not.toContain(status)
    }
  })

  test('oauth4webapi and openid-client configure themselves from it [13]', async () => {
    const issuer = new URL(provider.baseUrl)
    for (const algorithm of ['oidc', 'oauth2'] as const) {
      const response = await oauth.discoveryRequest(issuer, { algorithm, [oauth.allowInsecureRequests]: true })
      expect(await oauth.processDiscoveryResponse(issuer, response)).toMatchObject({ issuer: provider.baseUrl })
    }
    const config = await provider.configure()
    expect(config.serverMetadata()).toMatchObject({ authorization_endpoint: `${provider.authUrl}/oauth2/authorize` })
    expect(config.serverMetadata().supportsPKCE('S256')).toBe(true)
  })

  test('published keys are public, for signatures, and distinguished by kid [14]', async () => {
    const { keys } = (await (await fetch(`${provider.baseUrl}/.well-known/jwks.json`)).json()) as { keys: Record<string, string>[] }
    expect(keys.map(({ alg }) => alg)).toEqual(expect.arrayContaining(['RS256', 'ES256']))
    for (const key of keys) {
      expect(key).toMatchObject({ kid: expect.any(String), use: 'sig', alg: expect.any(String) })
      expect(Object.keys(key)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(d|p|q|dp|dq|qi|k)$/)]))
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
  })

  test('keys and documents are cacheable and readable by every origin [15]', async () => {
    for (const name of ['openid-configuration', 'oauth-authorization-server', 'jwks.json']) {
      const { headers } = await fetch(`${provider.baseUrl}/.well-known/${name}`, { headers: { origin: 'https://any.example' } })
      expect(headers.get('cache-control')).toMatch(/max-age=\d+/)
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  test.each<[string, number, string]>([
    ['signed request objects', 125, 'request_parameter_supported'],
    ['client assertions', 126, 'token_endpoint_auth_signing_alg_values_supported'],
    ['back-channel logout', 130, 'backchannel_logout_supported'],
  ])('does not announce what is not supported: %s [%i]', async (_, _number, name) => {
    expect((await readMetadata())[name] ?? false).toBe(false)
  })
})

describe('a request without a valid redirect target returns a page, never a redirect', () => {
  test.each([
    ['an unknown client [16]', { client_id: 'nobody' }],
    ['no client [17]', { client_id: null }],
    ['a redirect URI that is not registered [18]', { redirect_uri: 'http://127.0.0.1:8976/other' }],
    ['a redirect URI with a registered one as prefix [18]', { redirect_uri: 'http://127.0.0.1:8976/callback/more' }],
    ['no redirect URI, though only one is registered [20]', { redirect_uri: null }],
  ])('%s', async (_, parameters) => {
    const response = await fetch(provider.authorizationUrl(parameters), { redirect: 'manual', headers: { accept: 'text/html' } })
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.get('content-type')).toContain('text/html')
  })
})

describe('a rejected request redirects to the client with error, state and issuer', () => {
  test.each<[string, Record<string, string | null>, RegExp]>([
    ['a missing response type [21]', { response_type: null }, /^invalid_request$/],
    ['the implicit response type [22]', { response_type: 'token' }, /^unsupported_response_type$/],
    ['a hybrid response type [23]', { response_type: 'code id_token' }, /^unsupported_response_type$/],
    ['a scope that the client did not declare [24]', { scope: 'openid products:write' }, /^invalid_scope$/],
    ['an unknown scope [25]', { scope: 'openid bogus' }, /^invalid_scope$/],
    ['an unknown scope for the API [25]', { scope: 'openid bogus', resource: 'base' }, /^invalid_scope$/],
    ['no scope [26]', { scope: null }, /^invalid_(request|scope)$/],
    ['an unknown sub_type [30]', { sub_type: 'bogus' }, /^invalid_request$/],
    ['prompt=none without a session [32]', { prompt: 'none' }, /^login_required$/],
    ['a request object [41]', { request: 'e30.e30.' }, /^request_not_supported$|^invalid_request_object$/],
    ['a request by reference [41]', { request_uri: 'https://app.example/request' }, /^request_uri_not_supported$|^invalid_request_uri$/],
    ['an unsigned request object [125]', { request: 'eyJhbGciOiJub25lIn0.e30.' }, /^request_not_supported$|^invalid_request_object$/],
  ])('%s', async (_, parameters, error) => {
    const resource = parameters['resource'] ? provider.baseUrl : null
    const { url } = await provider.openAuthorizationPage({ state: 'a state & more', ...parameters, resource }, provider.newBrowser())
    expect(url.href).toMatch(/^http:\/\/127\.0\.0\.1:8976\/callback\?/)
    expect(url.hash).toBe('')
    expect(url.searchParams.get('error')).toMatch(error)
    expect(url.searchParams.get('state')).toBe('a state & more')
    expect(url.searchParams.get('iss')).toBe(provider.baseUrl)
  })

  test.each([
    ['a public client without PKCE [27]', {}],
    ['a code challenge of 42 characters [29]', { code_challenge: 'x'.repeat(42), code_challenge_method: 'S256' }],
    ['the PKCE method plain [27]', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }],
  ])('%s', async (_, parameters) => {
    const { client_id, redirect_uri } = provider.publicClient
    const { url } = await provider.openAuthorizationPage({ client_id, redirect_uri, ...parameters }, provider.newBrowser())
    expect(url.searchParams.get('error')).toBe('invalid_request')
  })

  test('a duplicate state, which is not returned [31]', async () => {
    const { url } = await provider.newBrowser().get(`${provider.authorizationUrl({ state: 'one' })}&state=two`)
    expect(url.searchParams.get('error')).toBe('invalid_request')
    expect(url.searchParams.has('state')).toBe(false)
  })

  test('prompt=none without a consent [33]', async () => {
    const browser = provider.newBrowser()
    const page = await provider.openAuthorizationPage({ scope: 'openid orders:write' }, browser)
    await browser.submit(page, { ...provider.person }, '/sign-in')
    for (const sub_type of ['user', null]) {
      const { url } = await provider.openAuthorizationPage({ scope: 'openid orders:write', sub_type, prompt: 'none' }, browser)
      expect(url.searchParams.get('error')).toMatch(/^(consent|account_selection|interaction)_required$/)
    }
  })
})

describe('the authorization pages', () => {
  test('a request with prompt=none returns a code after the user has consented [34]', async () => {
    await provider.obtainTokens({ parameters: { sub_type: 'user' } })
    expect(readAuthorizationCode(await provider.openAuthorizationPage({ sub_type: 'user', prompt: 'none' }))).toMatch(/^qt_ac_/)
  })

  test('prompt=login asks a signed-in user for the password and renews auth_time [36]', async () => {
    const parameters = { sub_type: 'user', max_age: '10000' }
    const earlier = (await provider.obtainTokens({ parameters })).claims()?.auth_time ?? Infinity
    await eventually(() => expect(Date.now() / 1000).toBeGreaterThan(earlier + 1))
    const page = await provider.openAuthorizationPage({ ...parameters, prompt: 'login' })
    expect(page.body).toContain('name="password"')
    const later = (await provider.obtainTokens({ parameters: { ...parameters, prompt: 'login' } })).claims()?.auth_time
    expect(later).toBeGreaterThan(earlier)
  })

  test('max_age with a fresh session prompts for nothing and adds auth_time to the ID token [38]', async () => {
    await provider.obtainTokens({ parameters: { sub_type: 'user' } })
    const parameters = { sub_type: 'user', max_age: '10000', prompt: 'none' }
    const { config, callback, verifier } = await provider.authorize({ parameters })
    const tokens = await oidc.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier, maxAge: 10_000 })
    expect(tokens.claims()).toMatchObject({ auth_time: expect.any(Number) })
  })

  test('unknown and advisory parameters change nothing [39]', async () => {
    const hints = {
      display: 'page',
      ui_locales: 'pl de',
      claims_locales: 'fr',
      acr_values: 'urn:x',
      login_hint: 'x@example.com',
      foo: 'bar',
    }
    const { callback } = await provider.authorize({ browser: provider.newBrowser(), parameters: hints })
    expect(callback.searchParams.get('code')).toMatch(/^qt_ac_/)
  })

  test('a POST request completes the same way [42]', async () => {
    const browser = provider.newBrowser()
    const fields = Object.fromEntries(new URL(provider.authorizationUrl({ state: 'x', sub_type: 'user' })).searchParams)
    const page = await browser.post(`${provider.authUrl}/oauth2/authorize`, fields)
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('name="password"') })
    const consent = await browser.submit(page, { ...provider.person }, '/sign-in')
    const callbackPage = consent.body.includes('name="action"') ? await browser.submit(consent, { action: 'allow' }, '/consent') : consent
    expect(callbackPage.url.searchParams.get('state')).toBe('x')
    expect(readAuthorizationCode(callbackPage)).toMatch(/^qt_ac_/)
  })

  test('allowing calls back with a long, short-lived code, the state and the issuer [43]', async () => {
    const { callback, code } = await provider.authorize({ parameters: { state: 'x' } })
    expect(callback.href).toMatch(/^http:\/\/127\.0\.0\.1:8976\/callback\?/)
    expect([...callback.searchParams.keys()].toSorted()).toEqual(['code', 'iss', 'state'])
    // 22 characters from an alphabet of 62 are 130 bits.
    expect(code).toMatch(/^qt_ac_[A-Za-z0-9]{22,}$/)
    const newest =
      'select extract(epoch from expires_at - now())::float as seconds from authorization_codes order by expires_at desc limit 1'
    const [{ seconds } = { seconds: Infinity }] = await provider.rows<{ seconds: number }>(newest)
    expect(seconds).toBeLessThanOrEqual(60)
  })

  test('denying calls back with access_denied and the unchanged state [44]', async () => {
    const browser = provider.newBrowser()
    const page = await provider.openAuthorizationPage({ scope: 'openid customers:read', state: 'ä ß+%' }, browser)
    const consent = await browser.submit(page, { ...provider.person }, '/sign-in')
    const { url } = await browser.submit(consent, { action: 'deny' }, '/consent')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'access_denied', state: 'ä ß+%', iss: provider.baseUrl })
  })

  test('without sub_type the user must choose an organization they belong to [45]', async () => {
    const otherAccount = await provider.runOperatorCommand<{ id: string }>('account', 'create', '--email', 'stranger@example.com')
    const created = ['organization', 'create', '--name', 'Foreign', '--slug', 'foreign', '--owner', otherAccount.id]
    const otherOrganization = await provider.runOperatorCommand<{ id: string }>(...created)
    const consent = await provider.openAuthorizationPage()
    const { organization, second_organization } = provider.system.demo
    for (const { id } of [organization, second_organization]) expect(consent.body).toContain(`value="${id}"`)
    expect(consent.body).not.toContain(otherOrganization.id)
    for (const choice of [{}, { organization_id: otherOrganization.id }, { organization_id: "'" }]) {
      const response = await provider.newBrowser().get(consent.url.href)
      expect(response.status).toBe(400)
      const rejected = await signedInSubmit({ action: 'allow', ...choice })
      expect(rejected).toMatchObject({ status: 400, body: expect.stringContaining('Choose one of your organizations.') })
    }
  })

  test('with sub_type=user no organization is chosen or named in the tokens [46]', async () => {
    const browser = provider.newBrowser()
    const page = await provider.openAuthorizationPage({ sub_type: 'user', scope: 'openid profile' }, browser)
    const consent = await browser.submit(page, { ...provider.person }, '/sign-in')
    expect(consent.body).not.toContain('name="organization_id"')
    const { id_token } = await provider.obtainTokens({ browser, parameters: { sub_type: 'user', scope: 'openid profile' } })
    expect(decodeJwt(id_token)).toMatchObject({ sub_type: 'user' })
    expect(decodeJwt(id_token)).not.toHaveProperty('organization_id')
  })

  test('one client has two working tokens, each for its organization [47]', async () => {
    const { organization, second_organization, paid_order_id } = provider.system.demo
    const authorizeFor = (organization_id: string) =>
      provider.obtainTokens({ parameters: { scope: 'openid orders:read' }, answer: { action: 'allow', organization_id } })
    const [first, second] = [await authorizeFor(organization.id), await authorizeFor(second_organization.id)]
    expect(decodeJwt(first.id_token)).toMatchObject({ organization_id: organization.id })
    expect(decodeJwt(second.id_token)).toMatchObject({ organization_id: second_organization.id })
    const readOrderStatus = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`${provider.baseUrl}/v1/orders/${paid_order_id}`, { headers })).status
    }
    expect(await readOrderStatus(first.access_token)).toBe(200)
    expect(await readOrderStatus(second.access_token)).toBe(404)
  })

  test('pages cannot be framed or cached and load no foreign resources [48]', async () => {
    const page = await provider.openAuthorizationPage({}, provider.newBrowser())
    expect(page.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('cache-control')).toContain('no-store')
    expect(page.body).not.toMatch(/<(img|link|iframe)|<script[^>]|src=|url\(/)
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'sha256-[\w+/=]+';/)
  })

  test.skipIf(isExternalSystem)('a request in progress survives a kill of the server and a key rotation [49]', async () => {
    const browser = provider.newBrowser()
    const before = await provider.obtainTokens({ browser })
    const page = await provider.openAuthorizationPage({ prompt: 'login' }, browser)
    provider.system.kill('auth')
    await provider.system.untilReady()
    const consent = await browser.submit(page, { ...provider.person }, '/sign-in')
    expect(consent.body).toContain('Which organization?')
    provider.system.kill('auth')
    await provider.runOperatorCommand('keys', 'rotate', '--force').catch(async () => {
      await provider.system.untilReady()
      await provider.runOperatorCommand('keys', 'rotate', '--force')
    })
    await provider.system.untilReady()
    const callbackPage = await browser.submit(consent, { action: 'allow', organization_id: provider.organizationId }, '/consent')
    const { status, body } = await exchangeCode(provider.baseUrl, {
      client: provider.confidential,
      code: readAuthorizationCode(callbackPage),
    })
    expect(status).toBe(200)
    await eventually(async () => {
      const { id_token } = await provider.obtainTokens()
      expect(decodeProtectedHeader(id_token).kid).not.toBe(decodeProtectedHeader(before.id_token).kid)
    })
    const config = await provider.configure()
    oidc.enableNonRepudiationChecks(config)
    expect(await oidc.refreshTokenGrant(config, before.refresh_token)).toMatchObject({ token_type: 'bearer' })
    expect(await oidc.refreshTokenGrant(config, body.refresh_token)).toMatchObject({ token_type: 'bearer' })
  })

  test.each(['client_id', 'redirect_uri', 'scope', 'state', 'nonce', 'login_hint', 'sub_type', 'organization_id', 'foo'])(
    'a NUL character in %s is a bad request [51]',
    async (name) => {
      const url = `${provider.authorizationUrl({ [name]: null })}&${name}=a%00b`
      expect((await fetch(url, { redirect: 'manual' })).status).toBe(400)
      const form = new URL(url).searchParams.toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const posted = await fetch(`${provider.authUrl}/oauth2/authorize`, { method: 'POST', headers, body: form })
      expect(posted.status).toBe(400)
      const asJson = await postForm(`${provider.baseUrl}/v1/oauth2/par`, {
        ...Object.fromEntries(new URLSearchParams(form)),
        client_secret: provider.confidential.client_secret ?? '',
      })
      expect(asJson).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    },
  )
})

/** Submits the organization page of a new request in a signed-in browser. */
async function signedInSubmit(fields: Record<string, string>) {
  const browser = provider.newBrowser()
  const consent = await browser.submit(await provider.openAuthorizationPage({}, browser), { ...provider.person }, '/sign-in')
  return browser.submit(consent, fields, '/consent')
}
