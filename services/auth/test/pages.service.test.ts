import type { Browser, Visit } from '@quittance/testing/browser'
import { eventually } from '@quittance/testing/eventually'
import { authorizationUrl, codeOf, passPages, redeem, refresh } from '@quittance/testing/oauth-client'
import { createAccount } from '@quittance/contracts/accounts'
import { createOrganization } from '@quittance/contracts/organizations'
import { userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

const operator = { kind: 'operator' } as const

function ask(server: AuthorizationServerUnderTest, browser: Browser, parameters: Record<string, string> = {}): Promise<Visit> {
  const { client, scope, origin } = server
  return browser.get(authorizationUrl(origin, { client_id: client.client_id, redirect_uri: client.redirect_uri, scope, ...parameters }))
}

const signIn = (server: AuthorizationServerUnderTest, browser: Browser, visit: Visit) =>
  browser.submit(visit, { ...server.person }, '/sign-in')

test('an unknown e-mail address and a wrong password get the same answer', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const page = await ask(server, browser)
  const wrong = await browser.submit(page, { email: 'ada@example.com', password: 'wrong' }, '/sign-in')
  const unknown = await browser.submit(page, { email: 'eve@example.com', password: 'wrong' }, '/sign-in')
  expect([wrong.status, unknown.status]).toEqual([401, 401])
  expect(wrong.body.replace('ada@', 'eve@')).toBe(unknown.body)
  expect(wrong.body).toMatch(/aria-invalid="true" aria-describedby="error"/)
})

test('after ten failures an account is closed for a while, known or not, and a right password does not open it', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const page = await ask(server, browser)
  const answers: Record<string, Visit> = {}
  for (const email of ['ada@example.com', 'eve@example.com']) {
    const tries = await Promise.all(Array.from({ length: 12 }, () => browser.submit(page, { email, password: 'wrong' }, '/sign-in')))
    expect(tries.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
    answers[email] = await browser.submit(page, { email, password: 'correct horse' }, '/sign-in')
  }
  const [known, unknown] = Object.values(answers) as [Visit, Visit]
  expect([known.status, unknown.status]).toEqual([429, 429])
  expect(known.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(known.body.replace('ada@', 'eve@')).toBe(unknown.body)
})

test('one address is closed after a hundred failures, whatever accounts it tries; a success is no failure', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const page = await ask(server, browser)
  await server.service.rows(
    `insert into sign_in_attempts (key, points, expire) values ('ip:127.0.0.1', 99, extract(epoch from now()) * 1000 + 60000)`,
  )
  const done = await signIn(server, server.newBrowser(), await ask(server, browser))
  expect(done.status).toBe(400)
  expect((await signIn(server, browser, page)).body).toContain('Which organization?')
  const last = await ask(server, server.newBrowser())
  expect(last.status).toBe(200)
  const other = server.newBrowser()
  const first = await ask(server, other)
  expect((await other.submit(first, { email: 'a@example.com', password: 'wrong' }, '/sign-in')).status).toBe(401)
  expect((await other.submit(first, { email: 'b@example.com', password: 'wrong' }, '/sign-in')).status).toBe(429)
})

test('a form that is not from our page, or of another interaction, does nothing', async () => {
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

test('choosing no organization, or one of somebody else, asks again and issues nothing', async () => {
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

test('an organization that the application names is the only one offered, and none to whoever is not its member', async () => {
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

test('denying tells the client and remembers nothing', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const first = await ask(server, browser, { state: 'a b' })
  const denied = await passPages(browser, first, { person: server.person, answer: { action: 'deny' } })
  expect(browser.cookies().map(({ name }) => name)).not.toContain('qt_interaction')
  expect(Object.fromEntries(denied.url.searchParams)).toMatchObject({ error: 'access_denied', state: 'a b', iss: 'http://127.0.0.1:8080' })
  expect(await server.service.rows('select from consents')).toHaveLength(0)
})

test('consent is remembered for the person, per organization, and asked again when scopes grow', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  await server.authorize({ browser, parameters: { sub_type: 'user', scope: 'openid' } })
  expect(codeOf(await ask(server, browser, { sub_type: 'user', scope: 'openid', prompt: 'none' }))).toMatch(/^qt_ac_/)
  expect((await ask(server, browser, { sub_type: 'user', scope: 'openid email' })).body).toContain('Read your e-mail address')
  expect((await ask(server, browser, { scope: 'openid' })).body).toContain('Which organization?')
  const silent = { organization_id: server.organization.id, prompt: 'none' }
  expect((await ask(server, browser, silent)).url.searchParams.get('error')).toBe('consent_required')
  await server.authorize({ browser })
  expect(codeOf(await ask(server, browser, silent))).toMatch(/^qt_ac_/)
  await server.service.rows('delete from members')
  expect((await ask(server, browser, silent)).url.searchParams.get('error')).toMatch(/consent_required|account_selection_required/)
})

test('two authorizations of one client in one browser are two families: ending one leaves the other', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const first = await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const second = await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const fields = { token: first.refresh_token, client_id: server.client.client_id, client_secret: server.client.client_secret ?? '' }
  await fetch(`${server.origin}/v1/oauth2/revoke`, { method: 'POST', body: new URLSearchParams(fields) })
  expect(await refresh(server.origin, { client: server.client, token: first.refresh_token })).toMatchObject({ status: 400 })
  expect(await refresh(server.origin, { client: server.client, token: second.refresh_token })).toMatchObject({ status: 200 })
})

test('another account can be used in the middle of a request', async () => {
  await using server = await startAuthorizationServer()
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const browser = server.newBrowser()
  const consent = await signIn(server, browser, await ask(server, browser, { sub_type: 'user' }))
  const again = await browser.submit(consent, {}, '/switch')
  expect(again.body).toContain('name="password"')
  const eve = await passPages(browser, again, {
    person: { email: 'eve@example.com', password: 'another horse' },
    answer: { action: 'allow' },
  })
  const { body } = await redeem(server.origin, { client: server.client, code: codeOf(eve) })
  expect(JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())).toMatchObject({ email: 'eve@example.com' })
})

test('with prompt=login somebody else may sign in; the one before is signed out first', async () => {
  await using server = await startAuthorizationServer()
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const browser = server.newBrowser()
  await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const again = await ask(server, browser, { sub_type: 'user', prompt: 'login' })
  const between = await browser.submit(again, { email: 'eve@example.com', password: 'another horse' }, '/sign-in')
  const policy = between.headers.get('content-security-policy')
  expect(policy).toMatch(/script-src 'none' 'sha256-[^;]+;form-action 'self' https:\/\/app\.example\.com/)
  const consent = await browser.submit(between, {}, '/confirm')
  expect(consent.body).toContain('Signed in as eve@example.com')
  const done = await browser.submit(consent, { action: 'allow' }, '/consent')
  expect(codeOf(done)).toMatch(/^qt_ac_/)
  expect(await server.service.rows('select from sessions where account_id is not null')).toHaveLength(1)
})

test('connected apps are listed and ended, one family or all of an application', async () => {
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

test('signing out everywhere ends every browser, and what applications hold lives on', async () => {
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

test('the account page has a sign-in of its own, and its session is good for applications too', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const page = await browser.get(`${server.origin}/oauth2/account`)
  const wrong = await browser.submit(page, { email: 'ada@example.com', password: 'wrong' }, '/sign-in')
  expect(wrong.status).toBe(401)
  const account = await browser.submit(wrong, { ...server.person }, '/sign-in')
  expect(account.body).toMatch(/node\s+<strong>\(this browser\)/)
  expect((await ask(server, browser)).body).toContain('Which organization?')
  const out = await browser.submit(await browser.get(`${server.origin}/oauth2/account`), {}, '/sign-out')
  expect(out.body).toContain('name="password"')
})

test('no page is framed, cached, scripted or made of anything from elsewhere', async () => {
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
    expect(body).not.toMatch(/<script|<img|<link|src=/)
  }
  expect(first.headers.get('content-security-policy')).toContain(`form-action 'self' https://app.example.com`)
})

test('expired rows are swept', async () => {
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

test('a person without an organization makes one in the middle of the request', async () => {
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
  expect(codeOf(done)).toMatch(/^qt_ac_/)
})
