import { hash } from 'node:crypto'
import type { Browser, PageVisit } from '@quittance/testing/browser'
import { eventually } from '@quittance/testing/eventually'
import {
  authorizationUrl,
  readAuthorizationCode,
  completeInteraction,
  exchangeCode,
  postForm,
  refresh,
} from '@quittance/testing/oauth-client'
import { createAccount } from '@quittance/contracts/accounts'
import { createOrganization } from '@quittance/contracts/organizations'
import { userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

const operator = { kind: 'operator' } as const

function ask(server: AuthorizationServerUnderTest, browser: Browser, parameters: Record<string, string> = {}): Promise<PageVisit> {
  const { client, scope, origin } = server
  return browser.get(authorizationUrl(origin, { client_id: client.client_id, redirect_uri: client.redirect_uri, scope, ...parameters }))
}

const signIn = (server: AuthorizationServerUnderTest, browser: Browser, visit: PageVisit) =>
  browser.submit(visit, { ...server.person }, '/sign-in')

test('an unknown e-mail address and a wrong password get the same reply', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const page = await ask(server, browser)
  const wrong = await browser.submit(page, { email: 'ada@example.com', password: 'wrong' }, '/sign-in')
  const unknown = await browser.submit(page, { email: 'eve@example.com', password: 'wrong' }, '/sign-in')
  expect([wrong.status, unknown.status]).toEqual([401, 401])
  expect(wrong.body.replace('ada@', 'eve@')).toBe(unknown.body)
  expect(wrong.body).toMatch(/aria-invalid="true" aria-describedby="error"/)
})

test('a form from another site or another interaction has no effect', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const page = await ask(server, browser)
  const forged = await browser.post(`${page.url.href}/sign-in`, { ...server.person, csrf: 'x' })
  expect(forged.status).toBe(400)
  const consent = await signIn(server, browser, page)
  expect((await browser.post(`${consent.url.href}/consent`, { action: 'allow', organization_id: server.organization.id })).status).toBe(400)
  expect(await server.service.rows('select from grants')).toHaveLength(0)
  const stranger = await server.newBrowser().get(consent.url.href)
  expect(stranger).toMatchObject({ status: 400, body: expect.stringContaining('expired') })
})

test('choosing no organization, or another user’s, shows the page again and issues nothing', async () => {
  await using server = await startAuthorizationServer()
  const other = await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const caller = userCaller({ userId: other.id, organizationIds: [] })
  const foreign = await server.service.call(createOrganization, { name: 'Foreign', slug: 'foreign' }, caller)
  const browser = server.newBrowser()
  const consent = await signIn(server, browser, await ask(server, browser))
  for (const choice of [{}, { organization_id: foreign.id }, { organization_id: 'x' }]) {
    const answer = await browser.submit(consent, { action: 'allow', ...choice }, '/consent')
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('Choose one of your organizations.') })
  }
  expect(await server.service.rows('select from grants')).toHaveLength(0)
})

test('offers only the organization that the client requests, and only to its members', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const own = await signIn(server, browser, await ask(server, browser, { organization_id: server.organization.id }))
  expect(own.body).toContain('Acme Books')
  const foreign = await ask(server, browser, { organization_id: 'b3e7a3a0-1f0c-4d55-9a8e-0c7f3f1d9a11' })
  expect(foreign.body).toContain('You are not a member of the organization that App asked for.')
  const forced = await browser.submit(foreign, { action: 'allow', organization_id: server.organization.id }, '/consent')
  expect(forced.status).toBe(400)
  expect(await server.service.rows('select from grants')).toHaveLength(0)
})

test('accepts the id of an organization in upper case', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const organization_id = server.organization.id.toUpperCase()
  const consent = await signIn(server, browser, await ask(server, browser, { organization_id }))
  const done = await browser.submit(consent, { action: 'allow', organization_id: server.organization.id }, '/consent')
  expect(readAuthorizationCode(done)).toMatch(/^qt_ac_/)
  expect(readAuthorizationCode(await ask(server, browser, { organization_id }))).toMatch(/^qt_ac_/)
})

test.each([
  ['an authorization', '/oauth2/authorize'],
  ['a sign-out', '/oauth2/logout'],
])('answers %s by POST whose state is too long for a redirect with a 400 page, and writes nothing', async (_, path) => {
  await using server = await startAuthorizationServer()
  const { client_id, redirect_uri } = server.client
  const fields = { response_type: 'code', client_id, redirect_uri, scope: server.scope, state: 's'.repeat(20_000) }
  const { status, headers, body } = await server.newBrowser().post(`${server.origin}${path}`, fields)
  expect([status, headers.get('location'), headers.get('set-cookie')]).toEqual([400, null, null])
  expect(body).toMatch(/This link does not work.*invalid_request.*the request is longer than 12288 bytes/s)
  expect(await server.service.rows('select from short_lived_records union all select from sessions')).toEqual([])
  expect(await server.newBrowser().post(`${server.origin}${path}`, { client_id, state: 's'.repeat(10_000) })).not.toMatchObject({
    body: expect.stringContaining('longer than'),
  })
})

test('a pushed request whose state is too long for a redirect is invalid_request', async () => {
  await using server = await startAuthorizationServer()
  const { client_id, client_secret, redirect_uri } = server.client
  const fields = { client_id, client_secret: client_secret ?? '', response_type: 'code', redirect_uri, scope: 'openid' }
  const push = (state: string) => postForm(`${server.origin}/v1/oauth2/par`, { ...fields, state })
  expect(await push('s'.repeat(20_000))).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  expect(await push('s'.repeat(10_000))).toMatchObject({ status: 201 })
})

test('denying returns an error to the client and stores nothing', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const first = await ask(server, browser, { state: 'a b' })
  const denied = await completeInteraction(browser, first, { person: server.person, answer: { action: 'deny' } })
  expect(browser.cookies().map(({ name }) => name)).not.toContain('qt_interaction')
  expect(Object.fromEntries(denied.url.searchParams)).toMatchObject({ error: 'access_denied', state: 'a b', iss: 'http://127.0.0.1:8080' })
  expect(await server.service.rows('select from consents')).toHaveLength(0)
})

test('remembers consent per user and organization, and asks again for more scopes', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  await server.authorize({ browser, parameters: { sub_type: 'user', scope: 'openid' } })
  expect(readAuthorizationCode(await ask(server, browser, { sub_type: 'user', scope: 'openid', prompt: 'none' }))).toMatch(/^qt_ac_/)
  expect((await ask(server, browser, { sub_type: 'user', scope: 'openid email' })).body).toContain('Read your e-mail address')
  expect((await ask(server, browser, { scope: 'openid' })).body).toContain('Which organization?')
  const silent = { organization_id: server.organization.id, prompt: 'none' }
  expect((await ask(server, browser, silent)).url.searchParams.get('error')).toBe('consent_required')
  await server.authorize({ browser })
  expect(readAuthorizationCode(await ask(server, browser, silent))).toMatch(/^qt_ac_/)
  await server.service.rows('delete from members')
  expect((await ask(server, browser, silent)).url.searchParams.get('error')).toMatch(/consent_required|account_selection_required/)
})

test('two authorizations of one client in one browser are separate token families', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const first = await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const second = await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const fields = { token: first.refresh_token, client_id: server.client.client_id, client_secret: server.client.client_secret ?? '' }
  await fetch(`${server.origin}/v1/oauth2/revoke`, { method: 'POST', body: new URLSearchParams(fields) })
  expect(await refresh(server.origin, { client: server.client, token: first.refresh_token })).toMatchObject({ status: 400 })
  expect(await refresh(server.origin, { client: server.client, token: second.refresh_token })).toMatchObject({ status: 200 })
})

test('the account can be switched during a request', async () => {
  await using server = await startAuthorizationServer()
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const browser = server.newBrowser()
  const consent = await signIn(server, browser, await ask(server, browser, { sub_type: 'user' }))
  const again = await browser.submit(consent, {}, '/switch')
  expect(again.body).toContain('name="password"')
  const eve = await completeInteraction(browser, again, {
    person: { email: 'eve@example.com', password: 'another horse' },
    answer: { action: 'allow' },
  })
  const { body } = await exchangeCode(server.origin, { client: server.client, code: readAuthorizationCode(eve) })
  expect(JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())).toMatchObject({ email: 'eve@example.com' })
})

test('prompt=login signs the old account out and another in without a script', async () => {
  await using server = await startAuthorizationServer()
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const browser = server.newBrowser()
  await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const again = await ask(server, browser, { sub_type: 'user', prompt: 'login' })
  const consent = await browser.submit(again, { email: 'eve@example.com', password: 'another horse' }, '/sign-in')
  expect(consent.body).toMatch(/Signed in as\s+<bdi>eve@example.com<\/bdi>/)
  const done = await browser.submit(consent, { action: 'allow' }, '/consent')
  expect(readAuthorizationCode(done)).toMatch(/^qt_ac_/)
  expect(await server.service.rows('select from sessions where account_id is not null')).toHaveLength(1)
})

test('lists connected apps and ends one family or a whole application', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const first = await server.authorize({ browser })
  const second = await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const page = await browser.get(`${server.origin}/oauth2/account`)
  expect(page.body).toContain('Acme Books')
  const [newest] = await server.service.rows<{ id: string }>('select id from grants order by created_at desc limit 1')
  const one = await browser.submit(page, { grant_id: newest?.id ?? '', client_id: '' }, '/disconnect')
  expect(one.status).toBe(200)
  expect(await refresh(server.origin, { client: server.client, token: second.refresh_token })).toMatchObject({ status: 400 })
  const { body } = await refresh(server.origin, { client: server.client, token: first.refresh_token })
  await browser.submit(one, {}, '/disconnect')
  expect(await refresh(server.origin, { client: server.client, token: body.refresh_token })).toMatchObject({ status: 400 })
  expect(await server.service.rows('select from consents')).toHaveLength(0)
})

test('signing out everywhere ends every session and keeps tokens of applications', async () => {
  await using server = await startAuthorizationServer()
  const [here, there] = [server.newBrowser(), server.newBrowser()]
  const tokens = await server.authorize({ browser: here, parameters: { sub_type: 'user' } })
  await server.authorize({ browser: there, parameters: { sub_type: 'user' } })
  const page = await here.get(`${server.origin}/oauth2/account`)
  const out = await here.submit(page, {}, '/sign-out-everywhere')
  expect(out.body).toContain('name="password"')
  const silent = await ask(server, there, { sub_type: 'user', prompt: 'none' })
  expect(silent.url.searchParams.get('error')).toBe('login_required')
  expect(await refresh(server.origin, { client: server.client, token: tokens.refresh_token })).toMatchObject({ status: 200 })
})

test('the account page has a sign-in, and its session is valid for applications too', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const page = await browser.get(`${server.origin}/oauth2/account`)
  const wrong = await browser.submit(page, { email: 'ada@example.com', password: 'wrong' }, '/sign-in')
  expect(wrong.status).toBe(401)
  const account = await browser.submit(wrong, { ...server.person }, '/sign-in')
  expect(account.body).toMatch(/<bdi>node<\/bdi>\s+<strong>\(this browser\)/)
  expect((await ask(server, browser)).body).toContain('Which organization?')
  const out = await browser.submit(await browser.get(`${server.origin}/oauth2/account`), {}, '/sign-out')
  expect(out.body).toContain('name="password"')
})

test('pages are not framed, cached or external, and run only scripts allowed by hash', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const first = await ask(server, browser)
  const pages = [first, await signIn(server, browser, first), await browser.get(`${server.origin}/oauth2/account`)]
  const wrong = await browser.get(`${server.origin}/oauth2/authorize?client_id=nobody`)
  expect(wrong.status).toBe(400)
  for (const { headers, body } of [...pages, wrong]) {
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toContain('no-store')
    expect(body).not.toMatch(/<img|<link|src=| on[a-z]+=/)
    const hashes = [...body.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`)
    const allowed = /script-src ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]
    expect(hashes.every((each) => allowed?.split(' ').includes(each))).toBe(true)
    expect(allowed).toMatch(/^('none'|'sha256-[\w+/=]+')$/)
  }
})

test('only a page whose form may end at a client has no form-action: the client may redirect further', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const read = ({ headers }: PageVisit) => /form-action[^;]*/.exec(headers.get('content-security-policy') ?? '')?.[0]
  const signInStep = await ask(server, browser)
  const atClient = [
    signInStep,
    await browser.submit(signInStep, { email: 'x', password: 'x' }, '/sign-in'),
    await signIn(server, browser, signInStep),
  ]
  expect(atClient.map(read)).toEqual([undefined, undefined, undefined])
  const here = ['/oauth2/account', '/oauth2/account/forgot-password', '/oauth2/logout', '/oauth2/authorize?client_id=nobody']
  for (const path of here) expect(read(await browser.get(`${server.origin}${path}`))).toBe(`form-action 'self'`)
})

test('deletes expired rows', async () => {
  await using server = await startAuthorizationServer()
  await server.authorize()
  const tables = ['authorization_codes', 'refresh_tokens', 'oauth_access_tokens', 'sessions', 'short_lived_records']
  for (const table of tables) await server.service.rows(`update ${table} set expires_at = now() - interval '1 second'`)
  await server.service.rows(`update grants set created_at = now() - interval '2 days'`)
  await server.service.rows(`notify wake, 'sweep-expired'`)
  await eventually(async () => {
    for (const table of [...tables, 'grants']) expect(await server.service.rows(`select from ${table}`)).toHaveLength(0)
  })
})

test('a user without an organization creates one during the request', async () => {
  await using server = await startAuthorizationServer()
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const browser = server.newBrowser()
  const page = await browser.submit(await ask(server, browser), { email: 'eve@example.com', password: 'another horse' }, '/sign-in')
  expect(page.body).toContain('Create your organization')
  const short = await browser.submit(page, { organization_name: ' x ' }, '/organization')
  expect(short).toMatchObject({ status: 400, body: expect.stringContaining('3 to 100 characters') })
  const consent = await browser.submit(short, { organization_name: 'Acme Books' }, '/organization')
  const [made] = await server.service.rows<{ id: string; slug: string }>(`select id, slug from organizations where slug <> 'acme-books'`)
  expect(made?.slug).toMatch(/^acme-books-[0-9a-f]{6}$/)
  const done = await browser.submit(consent, { action: 'allow', organization_id: made?.id ?? '' }, '/consent')
  expect(readAuthorizationCode(done)).toMatch(/^qt_ac_/)
})

test('a form that creates an organization and is submitted several times creates one', async () => {
  await using server = await startAuthorizationServer()
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const browser = server.newBrowser()
  const page = await browser.submit(await ask(server, browser), { email: 'eve@example.com', password: 'another horse' }, '/sign-in')
  const submit = () => browser.submit(page, { organization_name: 'Eve Books' }, '/organization')
  for (const shown of await Promise.all([submit(), submit(), submit()])) expect(shown.body).toContain('Eve Books')
  expect(await server.service.rows(`select from organizations where slug like 'eve-books%'`)).toHaveLength(1)
})
