import { authentication } from '@quittance/testing/oauth-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { useSharedProvider, type RunningProvider } from './provider.ts'
import { rawRequest, type RawResponse } from './raw-request.ts'

let provider: RunningProvider
let pids: number[]

beforeAll(async () => {
  provider = await useSharedProvider()
  pids = readPids()
})

const readPids = () =>
  [...provider.system.readReadyFile().services.auth, ...provider.system.readReadyFile().services.gateway].map(({ pid }) => pid)
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }

/** API endpoints: every error is JSON with the fields of the RFC and of the contract. */
const apiEndpoints = ['token', 'revoke', 'introspect', 'par', 'userinfo'] as const

/** Returns a valid form of an authenticated client, so that the endpoint reads it completely. */
function buildValidForm(name: (typeof apiEndpoints)[number]): string {
  const { redirect_uri } = provider.confidential
  const fieldsByEndpoint: Record<typeof name, Record<string, string>> = {
    token: { grant_type: 'refresh_token', refresh_token: 'qt_rt_x' },
    revoke: { token: 'qt_rt_x' },
    introspect: { token: 'qt_rt_x' },
    par: { response_type: 'code', redirect_uri, scope: 'openid' },
    userinfo: { access_token: 'qt_at_x' },
  }
  const clientFields = name === 'userinfo' ? undefined : authentication(provider.confidential)
  return new URLSearchParams({ ...clientFields, ...fieldsByEndpoint[name] }).toString()
}

/** Asserts that the response is no internal error; errors of API endpoints are JSON with a detail. */
function expectWellFormedResponse({ status, headers, body }: RawResponse, kind: 'api' | 'page'): void {
  if (status < 200 || status >= 500) throw new Error(`${status} ${body}`)
  if (kind === 'api' && status >= 400) {
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), detail: expect.anything() })
  }
}

/** Fields that are appended to a valid form. */
const formAdditions: [string, string][] = [
  ['a NUL character in a new field', 'x=a%00b'],
  ['a NUL character in the client id', 'client_id=a%00b'],
  ['a NUL character in the state', 'state=a%00b'],
  ['a NUL character in a name', 'a%00b=x'],
  ['a NUL byte', 'state=a\0b'],
  ['a state of 3 kB', `state=${'s'.repeat(3_072)}`],
  ['a nonce of 10 kB', `nonce=${'n'.repeat(10_240)}`],
  ['a duplicate client id', 'client_id=a&client_id=b'],
  ['a duplicate scope', 'scope=openid&scope=openid'],
  ['bytes that are not UTF-8', 'state=%FF%FE%C3%28'],
  ['a lone surrogate', 'state=%ED%A0%80&scope=%ED%BF%BF'],
  ['broken percent-encoding', 'state=%E0%A4%A&x=%&y=%zz'],
  ['array and prototype names', 'state[]=x&__proto__=x&constructor[prototype][a]=x&hasOwnProperty=x&toString=x'],
  ['a thousand fields', Array.from({ length: 1_000 }, (_, index) => `f${index}=x`).join('&')],
  ['control characters and unicode', 'state=%01%0d%0a%7f%E2%80%AE&login_hint=%F0%9F%92%A9'],
  ['injections for other languages', `state='";--</script>${encodeURIComponent('${jndi:x}{{7*7}}')}`],
  ['invalid numbers', 'max_age=-1&expires_in=1e999&max_age_=NaN'],
  ['a huge number', 'max_age=99999999999999999999999999'],
  ['claims that are not JSON', 'claims={'],
  ['deeply nested claims', `claims=${encodeURIComponent('{"a":'.repeat(500) + '1' + '}'.repeat(500))}`],
  ['a resource that is not a URI', 'resource=%00&resource=javascript:alert(1)&resource=//'],
]

describe.each(apiEndpoints)('%s', (name) => {
  const url = () => `${provider.baseUrl}/v1/oauth2/${name}`
  const post = (body: string | Uint8Array, headers: Record<string, string> = form) => rawRequest(url(), { method: 'POST', headers, body })

  test.each(formAdditions)('handles a form with %s without an internal error', async (label, text) => {
    const response = await post(`${buildValidForm(name)}&${text}`)
    expectWellFormedResponse(response, 'api')
    if (label.startsWith('a NUL')) expect(response).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_request"') })
  })

  test.each(['client_id', 'client_secret', 'token', 'grant_type', 'refresh_token', 'scope', 'redirect_uri', 'access_token'])(
    'rejects a duplicate %s, if it reads one at all',
    async (field) => {
      const fields = new URLSearchParams(buildValidForm(name))
      if (!fields.has(field)) return
      fields.append(field, 'x')
      const response = await post(fields.toString())
      expectWellFormedResponse(response, 'api')
      expect(response).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_request"') })
    },
  )

  test('handles raw bytes that are not UTF-8 without an internal error', async () => {
    expectWellFormedResponse(
      await post(Buffer.concat([Buffer.from(`${buildValidForm(name)}&state=`), Buffer.from([0xff, 0xc3, 0x28])])),
      'api',
    )
  })

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/xml', 'nonsense', 'text/html;;;'])(
    'rejects the content type %s',
    async (type) => {
      for (const body of [buildValidForm(name), '{"client_id":"x"}', '']) {
        const response = await post(body, { 'content-type': type })
        expectWellFormedResponse(response, 'api')
        expect(response.status).toBeGreaterThanOrEqual(400)
      }
    },
  )

  test('rejects a body without a content type, and a missing body', async () => {
    for (const response of [await post(buildValidForm(name), {}), await post('', form), await rawRequest(url(), { method: 'POST' })]) {
      expectWellFormedResponse(response, 'api')
      expect(response.status).toBeGreaterThanOrEqual(400)
    }
  })

  test('rejects a body of 100 kB', async () => {
    const response = await post(`${buildValidForm(name)}&x=${'y'.repeat(100_000)}`)
    expectWellFormedResponse(response, 'api')
    expect(response.status).toBe(413)
  })

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE'])('rejects %s and names the allowed methods', async (method) => {
    const response = await rawRequest(url(), { method })
    if (/^(GET|HEAD)$/.test(method) && name === 'userinfo') return expect(response.status).toBe(401)
    expect(response.status).toBe(405)
    expect(response.headers['allow']).toMatch(/\bPOST\b/)
    if (method !== 'HEAD') expectWellFormedResponse(response, 'api')
  })

  test('rejects an unknown method', async () => {
    const response = await rawRequest(url(), { method: 'PROPFIND' })
    expectWellFormedResponse(response, 'api')
    expect(response.status).toBeGreaterThanOrEqual(400)
  })

  test.each([
    ['authorization', 'Basic !!!'],
    ['authorization', `Basic ${Buffer.from('a\0b:c').toString('base64')}`],
    ['authorization', `Basic ${Buffer.from('%E0%A4%A:%').toString('base64')}`],
    ['authorization', `Basic ${Buffer.from('no colon').toString('base64')}`],
    ['authorization', `Bearer ${'x'.repeat(8_000)}`],
    ['authorization', 'Bearer'],
    ['authorization', 'Digest username="x"'],
    ['dpop', 'x.y.z'],
    ['dpop', ''],
    ['cookie', 'qt_session=%00; qt_interaction=%ff; ='],
    ['origin', 'null'],
    ['origin', 'not an origin'],
    ['accept', 'text/html'],
    ['content-encoding', 'gzip'],
    ['x-forwarded-host', 'evil.example'],
  ])('handles the header %s without an internal error: %s', async (header, value) => {
    const response = await post(buildValidForm(name), { ...form, [header]: value })
    expectWellFormedResponse(response, 'api')
    expect(response.body).not.toContain('evil')
  })
})

describe('register', () => {
  const authorization = () => `Bearer ${provider.system.demo.personal_access_token}`
  const post = (body: string, headers = json) =>
    rawRequest(`${provider.baseUrl}/v1/oauth2/register`, { method: 'POST', headers: { ...headers, authorization: authorization() }, body })

  test.each([
    ['a NUL character', '{"client_name":"a\\u0000b","redirect_uris":["https://app.example/"]}'],
    ['a NUL character in a redirect URI', '{"client_name":"a","redirect_uris":["https://app.example/\\u0000"]}'],
    ['a lone surrogate', '{"client_name":"\\ud800","redirect_uris":["https://app.example/"]}'],
    ['wrong types', '{"client_name":7,"redirect_uris":"https://app.example/","scope":["openid"]}'],
    ['a list', '[]'],
    ['nothing', ''],
    ['half a document', '{"client_name":'],
    ['depth', '['.repeat(50_000)],
    ['a redirect URI of 100 kB', `{"client_name":"a","redirect_uris":["https://app.example/${'x'.repeat(100_000)}"]}`],
    ['a body of 600 kB', `{"client_name":"${'x'.repeat(600_000)}"}`],
    ['a thousand redirect URIs', `{"client_name":"a","redirect_uris":[${Array(1_000).fill('"https://app.example/"').join(',')}]}`],
    ['an unknown grant type', '{"client_name":"a","redirect_uris":["https://app.example/"],"grant_types":["password"]}'],
  ])('rejects %s', async (_, body) => {
    const response = await post(body)
    expectWellFormedResponse(response, 'api')
    expect(response.status).toBeGreaterThanOrEqual(400)
  })

  test('rejects a form and other methods', async () => {
    expect((await post('client_name=a', form)).status).toBe(415)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const response = await rawRequest(`${provider.baseUrl}/v1/oauth2/register`, { method })
      expectWellFormedResponse(response, 'api')
      expect(response).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } })
    }
  })

  test.each(['%00', 'x'.repeat(2_000), '..%2f..', '%E0%A4%A', "'"])('handles the client id %s without an internal error', async (id) => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { authorization: authorization() }
      expectWellFormedResponse(await rawRequest(`${provider.baseUrl}/v1/oauth2/register/${id}`, { method, headers }), 'api')
    }
  })
})

describe('pages', () => {
  const pages = [
    'authorize',
    'logout',
    'account',
    'interaction/none',
    'interaction/none/sign-in',
    'account/sign-in',
    'account/disconnect',
    'nothing',
  ]

  test.each(pages)('%s handles any query and any form without an internal error', async (path) => {
    const url = `${provider.authUrl}/oauth2/${path}`
    const validQuery = new URL(provider.authorizationUrl()).searchParams
    for (const [label, text] of formAdditions) {
      if (!text.includes('\0')) expectWellFormedResponse(await rawRequest(`${url}?${validQuery}&${text}`), 'page')
      const posted = await rawRequest(url, { method: 'POST', headers: form, body: `${validQuery}&${text}` })
      expectWellFormedResponse(posted, 'page')
      if (label.startsWith('a NUL')) expect(posted.status).toBe(400)
    }
  })

  test.each(pages)('%s handles any content type, size, method and cookie without an internal error', async (path) => {
    const url = `${provider.authUrl}/oauth2/${path}`
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'nonsense']) {
      expectWellFormedResponse(await rawRequest(url, { method: 'POST', headers: { 'content-type': type }, body: '{' }), 'page')
    }
    const large = await rawRequest(url, { method: 'POST', headers: form, body: `x=${'y'.repeat(100_000)}` })
    expect(large.status).toBe(413)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE']) {
      expect(await rawRequest(url, { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, POST' } })
    }
    for (const cookie of ['qt_session=x', 'qt_interaction=x; qt_interaction.sig=y; qt_resume=%00', `a=${'x'.repeat(8_000)}`, '=;=;;']) {
      expectWellFormedResponse(await rawRequest(url, { headers: { cookie } }), 'page')
    }
  })

  test('a state of 3 kB or 10 kB is returned unchanged', async () => {
    for (const state of ['s'.repeat(3_072), 'ä&=%'.repeat(600), 's'.repeat(10_240)]) {
      const { callback } = await provider.authorize({ parameters: { state, sub_type: 'user' } })
      expect(callback.searchParams.get('state')).toBe(state)
    }
  })

  test('a state of 20 kB by POST is invalid_request', async () => {
    const body = new URLSearchParams(new URL(provider.authorizationUrl({ state: 's'.repeat(20_480) })).searchParams).toString()
    const response = await rawRequest(`${provider.authUrl}/oauth2/authorize`, { method: 'POST', headers: form, body })
    expectWellFormedResponse(response, 'page')
    expect(response.status).toBe(400)
  })

  test('the sign-in forms handle any input without an internal error', async () => {
    const browser = provider.newBrowser()
    for (const first of [await provider.openAuthorizationPage({}, browser), await browser.get(`${provider.authUrl}/oauth2/account`)]) {
      const csrf = /name="csrf" value="([^"]+)"/.exec(first.body)?.[1] ?? ''
      const action = /action="([^"]+\/sign-in)"/.exec(first.body)?.[1] ?? ''
      const cookie = browser
        .cookies()
        .map(({ name, value }) => `${name}=${value}`)
        .join('; ')
      const texts = [
        'email=a&password=b',
        'email=a&email=b&password=x',
        'email[]=a&password[]=b',
        'email=%FF&password=%ED%A0%80',
        'email=',
        '',
      ]
      for (const text of [...texts, `email=${'e'.repeat(5_000)}&password=x`, `email=a%40b&password=${'p'.repeat(50_000)}`]) {
        const body = `csrf=${csrf}&${text}`
        const response = await rawRequest(`${provider.authUrl}${action}`, { method: 'POST', headers: { ...form, cookie }, body })
        expectWellFormedResponse(response, 'page')
        expect([400, 401], `${action} ${text.slice(0, 30)}`).toContain(response.status)
        expect(response.headers['content-type']).toContain('text/html')
      }
    }
  })

  test.each([
    '/OAUTH2/AUTHORIZE',
    '/V1/OAUTH2/TOKEN',
    '/oauth2/authorize/',
    '/v1/oauth2/token/',
    '/oauth2/../v1/oauth2/token',
    '/oauth2/%61uthorize',
  ])('%s is not an alternative path of an endpoint', async (path) => {
    expect([400, 404, 405]).toContain((await rawRequest(provider.baseUrl + path)).status)
    const posted = await rawRequest(provider.baseUrl + path, { method: 'POST', headers: form, body: buildValidForm('token') })
    expect([400, 404, 405, 415]).toContain(posted.status)
    if (path.includes('v1')) expect(posted.status).not.toBe(400)
  })
})

test('the same processes still respond after all tests', async () => {
  expect(readPids()).toEqual(pids)
  await provider.system.untilReady()
  expect((await provider.obtainTokens()).access_token).toMatch(/^qt_at_/)
})
