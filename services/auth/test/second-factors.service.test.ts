import { createAccount } from '@quittance/contracts/accounts'
import { resetPassword } from '@quittance/contracts/passwords'
import type { Browser, PageVisit } from '@quittance/testing/browser'
import { authorizationUrl, readAuthorizationCode, exchangeCode } from '@quittance/testing/oauth-client'
import { Secret, TOTP } from 'otpauth'
import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { createAuthenticator, passkeyOptions } from './software-authenticator.ts'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

/** Passkeys are bound to a name; none are offered on an IP address. */
process.env['AUTH_URL'] = 'http://localhost:8080'
const site = { rpId: 'localhost', origin: 'http://localhost:8080' }

const operator = { kind: 'operator' } as const

const get = (server: AuthorizationServerUnderTest, browser: Browser, path = '') => browser.get(`${server.origin}/oauth2/account${path}`)

async function signIn(server: AuthorizationServerUnderTest, browser: Browser, person = server.person): Promise<PageVisit> {
  return browser.submit(await get(server, browser), { email: person.email, password: person.password }, '/sign-in')
}

const isSignedIn = (visit: PageVisit) => visit.body.includes('<h1>Your account</h1>')
const codesOn = ({ body }: PageVisit) => [...body.matchAll(/<li><code>([0-9a-z-]{19})<\/code><\/li>/g)].map(([, code = '']) => code)

/** Returns a code of the app, now or the given number of 30-second steps later. */
function codeFor(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
}

/** Starts with Ada, who has an authenticator app. Its setup code is used. */
async function startWithTotp() {
  const server = await startAuthorizationServer()
  const browser = server.newBrowser()
  await signIn(server, browser)
  const page = await get(server, browser, '/totp')
  const [, spaced = ''] = /time-based:\s*<code>([A-Z2-7 ]+)<\/code>/.exec(page.body) ?? []
  const secret = spaced.replaceAll(' ', '')
  return { server, browser, page, secret, turnOn: () => browser.submit(page, { code: codeFor(secret) }, '/totp') }
}

test('with an authenticator app a password alone does not sign in, and each code works once', async () => {
  const { server: started, browser, page, secret, turnOn } = await startWithTotp()
  await using server = started
  const wrong = await browser.submit(page, { code: '000000' }, '/totp')
  expect(wrong).toMatchObject({ status: 400, body: expect.stringContaining(secret.slice(0, 4)) })
  expect(await server.service.rows('select from totp_secrets')).toHaveLength(0)
  const first = codeFor(secret)
  const shown = await turnOn()
  expect(codesOn(shown)).toHaveLength(10)
  expect(JSON.stringify(await server.service.rows('select * from totp_secrets'))).not.toContain(secret)

  const other = server.newBrowser()
  const second = await signIn(server, other)
  expect(second.body).toContain('Second step')
  expect(isSignedIn(await get(server, other))).toBe(false)
  expect((await other.submit(second, { code: first }, '/second-factor')).status).toBe(401)
  expect((await other.submit(second, { code: '000000' }, '/second-factor')).status).toBe(401)
  const next = codeFor(secret, 1)
  const both = await Promise.all([other, other].map((each) => each.submit(second, { code: next }, '/second-factor')))
  expect(both.filter(isSignedIn)).toHaveLength(1)
  const third = server.newBrowser()
  expect((await third.submit(await signIn(server, third), { code: next }, '/second-factor')).status).toBe(401)
})

test('each recovery code signs in once; new ones replace all; only hashes are stored', async () => {
  const { server: started, browser, turnOn } = await startWithTotp()
  await using server = started
  const [code = '', unused = ''] = codesOn(await turnOn())
  expect(JSON.stringify(await server.service.rows('select * from recovery_codes'))).not.toContain(code.replaceAll('-', ''))
  const other = server.newBrowser()
  expect(isSignedIn(await other.submit(await signIn(server, other), { code: ` ${code.toUpperCase()} ` }, '/second-factor'))).toBe(true)
  const third = server.newBrowser()
  expect((await third.submit(await signIn(server, third), { code }, '/second-factor')).status).toBe(401)
  const account = await get(server, browser)
  expect(account.body).toContain('9 codes are left')
  const [fresh = ''] = codesOn(await browser.submit(account, {}, '/recovery-codes'))
  expect((await third.submit(await signIn(server, third), { code: unused }, '/second-factor')).status).toBe(401)
  expect(isSignedIn(await third.submit(await signIn(server, third), { code: fresh }, '/second-factor'))).toBe(true)
})

test('recovery codes that are generated at the same time replace each other too', async () => {
  const { server: started, browser, turnOn } = await startWithTotp()
  await using server = started
  await turnOn()
  const account = await get(server, browser)
  const release = await server.service.holdTransaction('select 1 from recovery_codes for update')
  const shown = [browser, browser].map((each) => each.submit(account, {}, '/recovery-codes'))
  await eventually(async () => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    expect(await server.service.rows(waiting)).toHaveLength(2)
  })
  await release()
  for (const page of await Promise.all(shown)) expect(codesOn(page)).toHaveLength(10)
  expect(await server.service.rows('select from recovery_codes')).toHaveLength(10)
})

test('counts wrong second factors, and binds the step to the browser that passed the password', async () => {
  const { server: started, secret, turnOn } = await startWithTotp()
  await using server = started
  await turnOn()
  const guesser = server.newBrowser('203.0.113.7')
  const step = await signIn(server, guesser)
  const stranger = server.newBrowser()
  await get(server, stranger)
  const [, pending = ''] = /name="pending"\s+value="([^"]+)"/.exec(step.body) ?? []
  const own = await get(server, stranger)
  const [, csrf = ''] = /name="csrf"\s+value="([^"]+)"/.exec(own.body) ?? []
  const moved = await stranger.post(`${server.origin}/oauth2/account/second-factor`, { csrf, pending, code: codeFor(secret, 1) })
  expect(moved).toMatchObject({ status: 400, body: expect.stringContaining('expired') })
  for (let tried = 0; tried < 10; tried++) expect((await guesser.submit(step, { code: '000000' }, '/second-factor')).status).toBe(401)
  const closed = await guesser.submit(step, { code: codeFor(secret, 1) }, '/second-factor')
  expect(closed.status).toBe(429)
  expect(closed.headers.get('retry-after')).toMatch(/^\d+$/)
  const owner = server.newBrowser('198.51.100.1')
  expect(isSignedIn(await owner.submit(await signIn(server, owner), { code: codeFor(secret, 1) }, '/second-factor'))).toBe(true)
})

test('a reset of the password ends a second step that began with the old one', async () => {
  const { server: started, secret, turnOn } = await startWithTotp()
  await using server = started
  await turnOn()
  const [attacker, owner] = [server.newBrowser('203.0.113.7'), server.newBrowser()]
  const step = await signIn(server, attacker)
  const { url } = await server.service.call(resetPassword, { email: server.person.email }, operator)
  const reset = await owner.get(server.origin + url.slice('http://localhost:8080'.length))
  const password = 'a quite different password'
  expect((await owner.submit(reset, { new_password: password, repeated_password: password })).status).toBe(200)
  const late = await attacker.submit(step, { code: codeFor(secret, 1) }, '/second-factor')
  expect(late).toMatchObject({ status: 400, body: expect.stringContaining('expired') })
  expect(isSignedIn(await get(server, attacker))).toBe(false)
  // The code was not used up.
  const again = await signIn(server, owner, { ...server.person, password })
  expect(isSignedIn(await owner.submit(again, { code: codeFor(secret, 1) }, '/second-factor'))).toBe(true)
})

/** Starts with Ada, signed in, with a passkey. */
async function startWithPasskey() {
  const server = await startAuthorizationServer()
  const browser = server.newBrowser()
  await signIn(server, browser)
  const key = createAuthenticator(site)
  const page = await get(server, browser, '/add-passkey')
  const added = await browser.submit(page, key.create(page), '/add-passkey')
  expect({ status: added.status, codes: codesOn(added).length }).toEqual({ status: 200, codes: 10 })
  return { server, browser, key, page }
}

test('a user-verified passkey signs in without a password, once and only for its page', async () => {
  const { server: started, key } = await startWithPasskey()
  await using server = started
  const browser = server.newBrowser()
  const page = await get(server, browser)
  const invalidAssertions = [{ isUserUnverified: true }, { origin: 'https://evil.example' }]
  for (const fault of invalidAssertions) {
    const signInPage = await get(server, browser)
    expect((await browser.submit(signInPage, key.get(signInPage, fault), '/passkey')).status).toBe(401)
  }
  const other = server.newBrowser()
  const answer = key.get(page)
  expect((await other.submit(await get(server, other), answer, '/passkey')).status).toBe(401)
  const current = await get(server, browser)
  const right = key.get(current)
  expect(isSignedIn(await browser.submit(current, right, '/passkey'))).toBe(true)
  await browser.submit(await get(server, browser), {}, '/sign-out')
  const again = await browser.submit(current, right, '/passkey')
  expect(isSignedIn(again)).toBe(false)
  const later = await get(server, browser)
  expect((await browser.submit(later, key.get(later, { counter: 1 }), '/passkey')).status).toBe(401)
  const foreign = await get(server, browser)
  expect((await browser.submit(foreign, createAuthenticator(site).get(foreign), '/passkey')).status).toBe(401)
})

test('with a passkey the second step accepts only a passkey of the same account', async () => {
  const { server: started, browser, key, page } = await startWithPasskey()
  await using server = started
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const eve = server.newBrowser()
  await signIn(server, eve, { ...server.person, email: 'eve@example.com', password: 'another horse' })
  const foreign = createAuthenticator(site)
  const adding = await get(server, eve, '/add-passkey')
  expect((await eve.submit(adding, key.create(adding), '/add-passkey')).status).toBe(400)
  const again = await get(server, eve, '/add-passkey')
  expect(codesOn(await eve.submit(again, foreign.create(again), '/add-passkey'))).toHaveLength(10)
  expect((await browser.submit(page, key.create(page), '/add-passkey')).status).toBe(400)

  const other = server.newBrowser()
  const step = await signIn(server, other)
  expect(passkeyOptions(step).allowCredentials?.map(({ id }) => id)).toEqual([key.credentialId])
  expect((await other.submit(step, foreign.get(step), '/second-factor')).status).toBe(401)
  const retried = await signIn(server, other)
  expect(isSignedIn(await other.submit(retried, key.get(retried, { isUserUnverified: true }), '/second-factor'))).toBe(true)
  const account = await get(server, other)
  await other.submit(account, {}, '/remove-passkey')
  expect(
    await server.service.rows('select from recovery_codes c join accounts a on a.id = c.account_id and a.email like $1', ['ada%']),
  ).toEqual([])
  const third = server.newBrowser()
  expect(isSignedIn(await signIn(server, third))).toBe(true)
})

test('an application receives how and when the user signed in', async () => {
  const { server: started, key } = await startWithPasskey()
  await using server = started
  const { client_id, redirect_uri } = server.client
  const start = (browser: Browser) =>
    browser.get(authorizationUrl(server.origin, { client_id, redirect_uri, scope: 'openid', sub_type: 'user' }))
  const readClaims = async (consent: PageVisit, browser: Browser) => {
    const done = consent.body.includes('name="action"') ? await browser.submit(consent, { action: 'allow' }, '/consent') : consent
    const { body } = await exchangeCode(server.origin, { client: server.client, code: readAuthorizationCode(done) })
    return JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())
  }
  const first = server.newBrowser()
  const page = await start(first)
  const strong = await readClaims(await first.submit(page, key.get(page), '/passkey'), first)
  expect(strong).toMatchObject({ amr: ['hwk', 'user', 'mfa'], acr: 'phr' })
  expect(Math.abs(strong.auth_time - Date.now() / 1000)).toBeLessThan(120)
  const second = server.newBrowser()
  const step = await second.submit(await start(second), { ...server.person }, '/sign-in')
  const weaker = await readClaims(await second.submit(step, key.get(step), '/second-factor'), second)
  expect(weaker).toMatchObject({ amr: ['pwd', 'hwk', 'mfa'] })
  expect(weaker).not.toHaveProperty('acr')
})

test('changing the protection of an account requires a recent sign-in with second factor', async () => {
  const { server: started, browser, secret, turnOn } = await startWithTotp()
  await using server = started
  await turnOn()
  const account = await get(server, browser)
  const [, csrf = ''] = /name="csrf"\s+value="([^"]+)"/.exec(account.body) ?? []
  await server.service.rows(`update sessions set payload = jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch from now())::int - 660))`)
  for (const name of ['totp', 'password', 'add-passkey']) {
    expect((await get(server, browser, `/${name}`)).body).toContain('Confirm that it is you')
  }
  for (const name of ['totp', 'totp-off', 'password', 'add-passkey', 'remove-passkey', 'recovery-codes']) {
    expect((await browser.post(`${server.origin}/oauth2/account/${name}`, { csrf })).body).toContain('Confirm that it is you')
  }
  expect(await server.service.rows('select from totp_secrets')).toHaveLength(1)
  const signInPage = await get(server, browser, '/totp')
  const step = await browser.submit(signInPage, { password: 'correct horse' })
  expect(step.body).toContain('Second step')
  const confirmed = await browser.submit(step, { code: codeFor(secret, 1) })
  expect(isSignedIn(confirmed)).toBe(true)
  await browser.submit(confirmed, {}, '/totp-off')
  expect(await server.service.rows('select from totp_secrets')).toHaveLength(0)
})

test('the operator’s link removes second factors only if requested', async () => {
  const { server: started, turnOn } = await startWithTotp()
  await using server = started
  await turnOn()
  const browser = server.newBrowser()
  for (const remove_second_factors of [false, true]) {
    const { url } = await server.service.call(resetPassword, { email: server.person.email, remove_second_factors }, operator)
    const page = await browser.get(url.replace('http://localhost:8080', server.origin))
    await browser.submit(page, { new_password: 'a new password', repeated_password: 'a new password' })
    expect(await server.service.rows('select from totp_secrets')).toHaveLength(remove_second_factors ? 0 : 1)
  }
  expect(await server.service.rows('select from recovery_codes')).toHaveLength(0)
})
