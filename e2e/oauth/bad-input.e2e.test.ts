import { authentication } from '@quittance/testing/oauth-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { joinProvider, type RunningProvider } from './provider.ts'
import { rawRequest, type RawAnswer } from './raw-request.ts'

let provider: RunningProvider
let pids: number[]

beforeAll(async () => {
  provider = await joinProvider()
  pids = processes()
})

const processes = () => [...provider.system.facts().services.auth, ...provider.system.facts().services.gateway].map(({ pid }) => pid)
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }

/** Endpoints for machines: the answer is JSON with the fields of the RFC and of the contract, whatever is sent. */
const machines = ['token', 'revoke', 'introspect', 'par', 'userinfo'] as const

/** A form that the endpoint reads to its end: the client is who it says it is. */
function plausible(name: (typeof machines)[number]): string {
  const { redirect_uri } = provider.confidential
  const own: Record<typeof name, Record<string, string>> = {
    token: { grant_type: 'refresh_token', refresh_token: 'qt_rt_x' },
    revoke: { token: 'qt_rt_x' },
    introspect: { token: 'qt_rt_x' },
    par: { response_type: 'code', redirect_uri, scope: 'openid' },
    userinfo: { access_token: 'qt_at_x' },
  }
  const who = name === 'userinfo' ? undefined : authentication(provider.confidential)
  return new URLSearchParams({ ...who, ...own[name] }).toString()
}

/** Never a fault of the server; a refusal says why, in the form of its side. */
function expectAnswer({ status, headers, body }: RawAnswer, side: 'machine' | 'page'): void {
  if (status < 200 || status >= 500) throw new Error(`${status} ${body}`)
  if (side === 'machine' && status >= 400) {
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), detail: expect.anything() })
  }
}

/** What is added to a good form. */
const additions: [string, string][] = [
  ['a NUL character in a new field', 'x=a%00b'],
  ['a NUL character in the client id', 'client_id=a%00b'],
  ['a NUL character in the state', 'state=a%00b'],
  ['a NUL character in a name', 'a%00b=x'],
  ['a NUL byte', 'state=a\0b'],
  ['a state of 3 kB', `state=${'s'.repeat(3_072)}`],
  ['a nonce of 10 kB', `nonce=${'n'.repeat(10_240)}`],
  ['a client id that comes twice', 'client_id=a&client_id=b'],
  ['a scope that comes twice', 'scope=openid&scope=openid'],
  ['bytes that are not UTF-8', 'state=%FF%FE%C3%28'],
  ['a lone surrogate', 'state=%ED%A0%80&scope=%ED%BF%BF'],
  ['broken percent-encoding', 'state=%E0%A4%A&x=%&y=%zz'],
  ['names of arrays and prototypes', 'state[]=x&__proto__=x&constructor[prototype][a]=x&hasOwnProperty=x&toString=x'],
  ['a thousand fields', Array.from({ length: 1_000 }, (_, index) => `f${index}=x`).join('&')],
  ['control characters and unicode', 'state=%01%0d%0a%7f%E2%80%AE&login_hint=%F0%9F%92%A9'],
  ['quotes of other languages', `state='";--</script>${encodeURIComponent('${jndi:x}{{7*7}}')}`],
  ['numbers that are none', 'max_age=-1&expires_in=1e999&max_age_=NaN'],
  ['a huge number', 'max_age=99999999999999999999999999'],
  ['claims that are not JSON', 'claims={'],
  ['claims that are deep', `claims=${encodeURIComponent('{"a":'.repeat(500) + '1' + '}'.repeat(500))}`],
  ['a resource that is no address', 'resource=%00&resource=javascript:alert(1)&resource=//'],
]

describe.each(machines)('%s', (name) => {
  const url = () => `${provider.baseUrl}/v1/oauth2/${name}`
  const post = (body: string | Uint8Array, headers: Record<string, string> = form) => rawRequest(url(), { method: 'POST', headers, body })

  test.each(additions)('answers a form with %s', async (what, text) => {
    const answer = await post(`${plausible(name)}&${text}`)
    expectAnswer(answer, 'machine')
    if (what.startsWith('a NUL')) expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_request"') })
  })

  test.each(['client_id', 'client_secret', 'token', 'grant_type', 'refresh_token', 'scope', 'redirect_uri', 'access_token'])(
    'refuses a %s that comes twice, if it reads one at all',
    async (field) => {
      const fields = new URLSearchParams(plausible(name))
      if (!fields.has(field)) return
      fields.append(field, 'x')
      const answer = await post(fields.toString())
      expectAnswer(answer, 'machine')
      expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_request"') })
    },
  )

  test('answers raw bytes that are not UTF-8', async () => {
    expectAnswer(await post(Buffer.concat([Buffer.from(`${plausible(name)}&state=`), Buffer.from([0xff, 0xc3, 0x28])])), 'machine')
  })

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'application/xml', 'nonsense', 'text/html;;;'])(
    'refuses the content type %s',
    async (type) => {
      for (const body of [plausible(name), '{"client_id":"x"}', '']) {
        const answer = await post(body, { 'content-type': type })
        expectAnswer(answer, 'machine')
        expect(answer.status).toBeGreaterThanOrEqual(400)
      }
    },
  )

  test('refuses a body without a type, and no body', async () => {
    for (const answer of [await post(plausible(name), {}), await post('', form), await rawRequest(url(), { method: 'POST' })]) {
      expectAnswer(answer, 'machine')
      expect(answer.status).toBeGreaterThanOrEqual(400)
    }
  })

  test('refuses a body of 100 kB', async () => {
    const answer = await post(`${plausible(name)}&x=${'y'.repeat(100_000)}`)
    expectAnswer(answer, 'machine')
    expect(answer.status).toBe(413)
  })

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE'])('refuses %s, and says what it takes', async (method) => {
    const answer = await rawRequest(url(), { method })
    if (method === 'GET' && name === 'userinfo') return expect(answer.status).toBe(401)
    expect(answer.status).toBe(405)
    expect(answer.headers['allow']).toMatch(/\bPOST\b/)
    if (method !== 'HEAD') expectAnswer(answer, 'machine')
  })

  test('refuses a method nobody knows', async () => {
    const answer = await rawRequest(url(), { method: 'PROPFIND' })
    expectAnswer(answer, 'machine')
    expect(answer.status).toBeGreaterThanOrEqual(400)
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
  ])('answers with the header %s: %s', async (header, value) => {
    const answer = await post(plausible(name), { ...form, [header]: value })
    expectAnswer(answer, 'machine')
    expect(answer.body).not.toContain('evil')
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
  ])('refuses %s', async (_, body) => {
    const answer = await post(body)
    expectAnswer(answer, 'machine')
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })

  test('refuses a form and other methods', async () => {
    expect((await post('client_name=a', form)).status).toBe(415)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await rawRequest(`${provider.baseUrl}/v1/oauth2/register`, { method })
      expectAnswer(answer, 'machine')
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } })
    }
  })

  test.each(['%00', 'x'.repeat(2_000), '..%2f..', '%E0%A4%A', "'"])('answers for the client %s', async (id) => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { authorization: authorization() }
      expectAnswer(await rawRequest(`${provider.baseUrl}/v1/oauth2/register/${id}`, { method, headers }), 'machine')
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

  test.each(pages)('%s takes any query and any form without a fault', async (path) => {
    const url = `${provider.authUrl}/oauth2/${path}`
    const good = new URL(provider.authorizationUrl()).searchParams
    for (const [what, text] of additions) {
      if (!text.includes('\0')) expectAnswer(await rawRequest(`${url}?${good}&${text}`), 'page')
      const posted = await rawRequest(url, { method: 'POST', headers: form, body: `${good}&${text}` })
      expectAnswer(posted, 'page')
      if (what.startsWith('a NUL')) expect(posted.status).toBe(400)
    }
  })

  test.each(pages)('%s takes any content type, size, method and cookie without a fault', async (path) => {
    const url = `${provider.authUrl}/oauth2/${path}`
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'nonsense']) {
      expectAnswer(await rawRequest(url, { method: 'POST', headers: { 'content-type': type }, body: '{' }), 'page')
    }
    const large = await rawRequest(url, { method: 'POST', headers: form, body: `x=${'y'.repeat(100_000)}` })
    expect(large.status).toBe(413)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE']) {
      expect(await rawRequest(url, { method })).toMatchObject({ status: 405, headers: { allow: 'GET, POST' } })
    }
    for (const cookie of ['qt_session=x', 'qt_interaction=x; qt_interaction.sig=y; qt_resume=%00', `a=${'x'.repeat(8_000)}`, '=;=;;']) {
      expectAnswer(await rawRequest(url, { headers: { cookie } }), 'page')
    }
  })

  test('a state of 3 kB, or of 10 kB, comes back as it was', async () => {
    for (const state of ['s'.repeat(3_072), 'ä&=%'.repeat(600), 's'.repeat(10_240)]) {
      const { callback } = await provider.authorize({ parameters: { state, sub_type: 'user' } })
      expect(callback.searchParams.get('state')).toBe(state)
    }
  })

  test('forms of a real interaction and of the account page take anything without a fault', async () => {
    const browser = provider.newBrowser()
    for (const first of [await provider.ask({}, browser), await browser.get(`${provider.authUrl}/oauth2/account`)]) {
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
        const answer = await rawRequest(`${provider.authUrl}${action}`, { method: 'POST', headers: { ...form, cookie }, body })
        expectAnswer(answer, 'page')
        expect([400, 401], `${action} ${text.slice(0, 30)}`).toContain(answer.status)
        expect(answer.headers['content-type']).toContain('text/html')
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
  ])('%s is not another spelling of an endpoint', async (path) => {
    expect([400, 404, 405]).toContain((await rawRequest(provider.baseUrl + path)).status)
    const posted = await rawRequest(provider.baseUrl + path, { method: 'POST', headers: form, body: plausible('token') })
    expect([400, 404, 405, 415]).toContain(posted.status)
    if (path.includes('v1')) expect(posted.status).not.toBe(400)
  })
})

test('after all of it the same processes still answer', async () => {
  expect(processes()).toEqual(pids)
  await provider.system.untilReady()
  expect((await provider.tokens()).access_token).toMatch(/^qt_at_/)
})
