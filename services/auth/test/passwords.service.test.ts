import { resetPassword } from '@quittance/contracts/passwords'
import { hashToken } from '@quittance/runtime/credential'
import type { Browser, PageVisit } from '@quittance/testing/browser'
import { eventually } from '@quittance/testing/eventually'
import { refresh } from '@quittance/testing/oauth-client'
import { expect, test, vi } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

vi.stubEnv('MAIL_KEY', undefined)

const operator = { kind: 'operator' } as const
const cheaperHash = 'scrypt$512$8$3$MDEyMzQ1Njc4OWFiY2RlZg$c_f3wg68GtRTTNWRAUK6fi5k00hG455XfUAakp2xkSY'
const fresh = 'a new and better password'

async function signIn(server: AuthorizationServerUnderTest, browser: Browser, password = server.person.password): Promise<PageVisit> {
  const page = await browser.get(`${server.origin}/oauth2/account`)
  return browser.submit(page, { email: server.person.email, password }, '/sign-in')
}

const get = (server: AuthorizationServerUnderTest, browser: Browser, path: string) => browser.get(`${server.origin}/oauth2/account${path}`)
const isSignedIn = (visit: PageVisit) => visit.body.includes('<h1>Your account</h1>')

/** Sets the sign-in time to an hour ago. */
const grow = (server: AuthorizationServerUnderTest) =>
  server.service.rows(`update sessions set payload = jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch from now())::int - 3600))`)

const change = (current: string, password: string, repeated = password) => ({
  current_password: current,
  new_password: password,
  repeated_password: repeated,
})

test('changes a password with the old one and signs other browsers out on request', async () => {
  await using server = await startAuthorizationServer()
  const [here, there] = [server.newBrowser(), server.newBrowser()]
  await signIn(server, here)
  await signIn(server, there)
  const page = await get(server, here, '/password')
  const invalidForms = [
    [change('wrong', fresh), 401, 'The current password is wrong.'],
    [change('correct horse', 'short'), 400, 'at least 8 characters'],
    [change('correct horse', fresh, 'another'), 400, 'not the same'],
    [change('correct horse', server.person.email.toUpperCase()), 400, 'must not be your e-mail address'],
  ] as const
  for (const [fields, status, words] of invalidForms) {
    expect(await here.submit(page, fields, '/password')).toMatchObject({ status, body: expect.stringContaining(words) })
  }
  const changed = await here.submit(page, change('correct horse', fresh), '/password')
  expect(changed.body).toContain('Your password was changed.')
  expect(isSignedIn(await get(server, there, ''))).toBe(true)
  await here.submit(page, { ...change(fresh, 'correct horse again'), end_others: 'yes' }, '/password')
  expect(isSignedIn(await get(server, there, ''))).toBe(false)
  expect(isSignedIn(await get(server, here, ''))).toBe(true)
  expect((await signIn(server, there)).status).toBe(401)
  expect(isSignedIn(await signIn(server, there, 'correct horse again'))).toBe(true)
})

test('wrong current passwords count as failed sign-ins', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  await signIn(server, browser)
  const page = await get(server, browser, '/password')
  for (let tried = 0; tried < 10; tried++) expect((await browser.submit(page, change('wrong', fresh), '/password')).status).toBe(401)
  expect((await browser.submit(page, change('correct horse', fresh), '/password')).status).toBe(429)
})

test('a sign-in replaces a hash of another cost, once and with the same password', async () => {
  await using server = await startAuthorizationServer()
  const readHash = async () =>
    (await server.service.rows<{ password_hash: string }>('select password_hash from accounts'))[0]?.password_hash
  // The hash of "correct horse" with half the cost of the service under test.
  await server.service.rows('update accounts set password_hash = $1', [cheaperHash])
  const browser = server.newBrowser()
  const page = await browser.get(`${server.origin}/oauth2/account`)
  expect((await browser.submit(page, { email: server.person.email, password: 'correct hors' }, '/sign-in')).status).toBe(401)
  expect(await readHash()).toBe(cheaperHash)
  expect(isSignedIn(await signIn(server, server.newBrowser()))).toBe(true)
  const replaced = await readHash()
  expect(replaced).toMatch(/^scrypt\$1024\$8\$3\$/)
  expect(isSignedIn(await signIn(server, server.newBrowser()))).toBe(true)
  expect(await readHash()).toBe(replaced)
})

test('changing a password requires a recent sign-in and changes nothing before it', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  await signIn(server, browser)
  const page = await get(server, browser, '/password')
  await grow(server)
  const reply = await browser.submit(page, change('correct horse', fresh), '/password')
  expect(reply.body).toContain('Confirm that it is you')
  const again = await get(server, browser, '/password')
  expect(again.url.search).toBe('?next=%2Foauth2%2Faccount%2Fpassword')
  expect((await browser.submit(again, { password: 'wrong' })).status).toBe(401)
  const confirmed = await browser.submit(again, { password: 'correct horse' })
  expect(confirmed.url.pathname).toBe('/oauth2/account/password')
  expect((await browser.submit(confirmed, change('correct horse', fresh), '/password')).body).toContain('Your password was changed.')
})

test('another user cannot confirm a session, and a confirmation redirects to no other site', async () => {
  await using server = await startAuthorizationServer()
  const { createAccount } = await import('@quittance/contracts/accounts')
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const browser = server.newBrowser()
  await signIn(server, browser)
  await grow(server)
  const reply = await get(server, browser, '/confirm?next=https://evil.example/oauth2/account')
  expect((await browser.submit(reply, { email: 'eve@example.com', password: 'another horse' })).status).toBe(401)
  const confirmed = await browser.submit(reply, { password: 'correct horse' })
  expect(confirmed.url.href).toBe(`${server.origin}/oauth2/account`)
})

test('a reset link sets a password once, ends every session and keeps applications', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const tokens = await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const { url, user_id, expires_at } = await server.service.call(resetPassword, { email: 'ADA@example.com' }, operator)
  expect(user_id).toBe(server.person.id)
  const minutes = (Date.parse(expires_at) - Date.now()) / 60_000
  expect(minutes > 30 && minutes < 60).toBe(true)
  const path = url.slice('http://127.0.0.1:8080'.length)
  const stranger = server.newBrowser()
  const page = await stranger.get(server.origin + path)
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  expect((await stranger.submit(page, { new_password: 'short', repeated_password: 'short' })).status).toBe(400)
  const both = await Promise.all(
    [fresh, `${fresh} 2`].map((password) => stranger.submit(page, { new_password: password, repeated_password: password })),
  )
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  expect((await stranger.get(server.origin + path)).body).toContain('works no more')
  expect(isSignedIn(await get(server, browser, ''))).toBe(false)
  expect(await server.service.rows('select from known_devices')).toHaveLength(0)
  expect((await signIn(server, browser)).status).toBe(401)
  const won = both[0]?.status === 200 ? fresh : `${fresh} 2`
  expect(isSignedIn(await signIn(server, browser, won))).toBe(true)
  expect(await refresh(server.origin, { client: server.client, token: tokens.refresh_token })).toMatchObject({ status: 200 })
})

test('a reset also defeats a sign-in and a change that had read the old password before', async () => {
  await using server = await startAuthorizationServer()
  const [attacker, other, owner] = [server.newBrowser('203.0.113.7'), server.newBrowser('203.0.113.8'), server.newBrowser()]
  await signIn(server, attacker)
  const page = await get(server, attacker, '/password')
  const { url } = await server.service.call(resetPassword, { email: server.person.email }, operator)
  const reset = await owner.get(server.origin + url.slice('http://127.0.0.1:8080'.length))
  // Attempts are counted after the password is read, and wait for this lock.
  const release = await server.service.holdTransaction('lock table sign_in_attempts')
  const late = Promise.all([signIn(server, other), attacker.submit(page, change('correct horse', 'the attacker is back'))])
  await eventually(async () => {
    const waiting = await server.service.rows(`select from pg_locks where relation = 'sign_in_attempts'::regclass and not granted`)
    expect(waiting).toHaveLength(2)
  })
  expect((await owner.submit(reset, { new_password: fresh, repeated_password: fresh })).status).toBe(200)
  await release()
  const [signedIn] = await late
  expect(signedIn.status).toBe(401)
  expect(isSignedIn(await get(server, other, ''))).toBe(false)
  expect((await signIn(server, server.newBrowser(), 'the attacker is back')).status).toBe(401)
  expect(isSignedIn(await signIn(server, owner, fresh))).toBe(true)
})

test('only the newer of two reset links is valid, it expires, and only hashes are stored', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  const ask = async () => {
    const { url } = await server.service.call(resetPassword, { email: server.person.email }, operator)
    return server.origin + url.slice('http://127.0.0.1:8080'.length)
  }
  const [older, newer] = [await ask(), await ask()]
  const token = new URL(newer).searchParams.get('token') ?? ''
  const stored = await server.service.rows<{ token_hash: string }>('select * from password_resets')
  expect(stored.map(({ token_hash }) => token_hash)).toEqual([hashToken(token)])
  expect(JSON.stringify([stored, server.service.publishedEvents])).not.toContain(token)
  expect((await browser.get(older)).status).toBe(400)
  expect((await browser.get(newer)).status).toBe(200)
  await server.service.rows(`update password_resets set expires_at = now() - interval '1 second'`)
  expect((await browser.get(newer)).status).toBe(400)
  expect((await browser.post(newer, { token, new_password: fresh, repeated_password: fresh })).status).toBe(400)
})

test('a changed password invalidates an unused reset link', async () => {
  await using server = await startAuthorizationServer()
  await server.service.call(resetPassword, { email: server.person.email }, operator)
  const browser = server.newBrowser()
  await signIn(server, browser)
  await browser.submit(await get(server, browser, '/password'), change('correct horse', fresh), '/password')
  expect(await server.service.rows('select from password_resets')).toHaveLength(0)
})

test('creates no reset link for an unknown address', async () => {
  await using server = await startAuthorizationServer()
  const reply = server.service.call(resetPassword, { email: 'nobody@example.com' }, operator)
  await expect(reply).rejects.toMatchObject({ status: 404, name: 'ResourceNotFound' })
})

test('the sign-in page explains what to do without a password; without MAIL_KEY no address is asked for', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  expect((await get(server, browser, '')).body).toContain('href="/oauth2/account/forgot-password"')
  expect((await get(server, browser, '/forgot-password')).body).toContain('Ask the people who run this service')
  const forgotten = `${server.origin}/oauth2/account/forgot-password`
  expect((await browser.post(forgotten, { email: server.person.email })).status).toBe(404)
})
