import { eventually } from '@quittance/testing/eventually'
import type { Browser } from '@quittance/testing/browser'
import { authorizationUrl } from '@quittance/testing/oauth-client'
import { expect, test, vi } from 'vitest'
import { startDocumentServer } from './document-server.ts'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

vi.stubEnv('CLIENT_ID_ALLOWED_CIDRS', '127.0.0.0/8')

async function signIn(server: AuthorizationServerUnderTest, browser: Browser) {
  const page = await browser.get(`${server.origin}/oauth2/account`)
  return browser.submit(page, { ...server.person }, '/sign-in')
}

const readAccount = (server: AuthorizationServerUnderTest, browser: Browser) => browser.get(`${server.origin}/oauth2/account`)

/** Begins an authorization that is in progress until `release`: the server waits for the document of the client. */
async function beginSlowRequest(server: AuthorizationServerUnderTest, browser: Browser) {
  const documents = await startDocumentServer()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  documents.answer((_, response) => void released.then(() => response.writeHead(404).end()))
  const query = { response_type: 'code', client_id: `${documents.origin}/slow.json`, redirect_uri: 'https://x.example/cb', scope: 'openid' }
  const reply = browser.get(`${server.origin}/oauth2/authorize?${new URLSearchParams(query)}`)
  await eventually(async () => expect(documents.requestedPaths).toEqual(['/slow.json']))
  return {
    async complete() {
      release()
      await reply
      await documents[Symbol.asyncDispose]()
    },
  }
}

const changed = { current_password: 'correct horse', new_password: 'a better password', repeated_password: 'a better password' }

test.each<[string, string, Record<string, string>]>([
  ['signing out everywhere', '/sign-out-everywhere', {}],
  ['ending it in the list of sessions', '/end-session', {}],
  ['a changed password', '/password', { ...changed, end_others: 'yes' }],
])('a request in progress does not restore a session that was ended by %s', async (_, path, fields) => {
  await using server = await startAuthorizationServer()
  const [thief, owner] = [server.newBrowser(), server.newBrowser()]
  await signIn(server, thief)
  const [{ uid } = { uid: '' }] = await server.service.rows<{ uid: string }>('select uid from sessions')
  await signIn(server, owner)
  const page = await owner.get(`${server.origin}/oauth2/account${path === '/password' ? path : ''}`)
  const request = await beginSlowRequest(server, thief)
  await owner.submit(page, path === '/end-session' ? { uid } : fields, path)
  await request.complete()
  expect((await readAccount(server, thief)).body).toContain('name="password"')
  const stored = await server.service.rows('select account_id, payload, user_agent, ip from sessions where uid = $1', [uid])
  expect(stored).toEqual([{ account_id: null, payload: {}, user_agent: null, ip: null }])
})

test('a request in progress does not restore a session that signed out', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  await signIn(server, browser)
  const page = await readAccount(server, browser)
  const request = await beginSlowRequest(server, browser)
  await browser.submit(page, {}, '/sign-out')
  await request.complete()
  expect((await readAccount(server, browser)).body).toContain('name="password"')
  expect(await server.service.rows('select from sessions where account_id is not null')).toHaveLength(0)
})

test('a confirmed sign-in keeps one session under a new id, and the old id is invalid', async () => {
  await using server = await startAuthorizationServer()
  const browser = server.newBrowser()
  await signIn(server, browser)
  const readSessions = () => server.service.rows<{ uid: string; id_hash: string }>('select uid, id_hash from sessions')
  const [before] = await readSessions()
  await server.service.rows(`update sessions set payload = jsonb_set(payload, '{loginTs}', '1')`)
  const page = await browser.get(`${server.origin}/oauth2/account/confirm`)
  expect((await browser.submit(page, { password: server.person.password }, '/sign-in?confirm=')).body).toContain('<h1>Your account</h1>')
  const after = await readSessions()
  expect(after).toEqual([{ uid: before?.uid, id_hash: expect.any(String) }])
  expect(after[0]?.id_hash).not.toBe(before?.id_hash)
  await server.authorize({ browser, parameters: { sub_type: 'user', prompt: 'login' } })
  expect(await readSessions()).toEqual([{ uid: before?.uid, id_hash: expect.not.stringMatching(after[0]?.id_hash ?? '') }])
})

test('deletes the mark of an ended session after an hour, not before', async () => {
  await using server = await startAuthorizationServer()
  for (const browser of [server.newBrowser(), server.newBrowser(), server.newBrowser()]) await signIn(server, browser)
  const [older, newer, valid] = (await server.service.rows<{ uid: string }>('select uid from sessions')).map(({ uid }) => uid)
  const browser = server.newBrowser()
  await signIn(server, browser)
  for (const uid of [older, newer]) await browser.submit(await readAccount(server, browser), { uid: uid ?? '' }, '/end-session')
  await server.service.rows(`update sessions set seen_at = now() - interval '61 minutes' where uid = any($1)`, [[older, valid]])
  await server.service.rows(`notify wake, 'sweep-expired'`)
  await eventually(async () => expect(await server.service.rows('select from sessions where uid = $1', [older])).toHaveLength(0))
  expect(await server.service.rows('select from sessions where uid = any($1)', [[newer, valid]])).toHaveLength(2)
})

test('stores a session without an account for ten minutes; a sign-in extends it to 14 days', async () => {
  await using server = await startAuthorizationServer()
  const readMinutes = async () => {
    const query = `select round(extract(epoch from expires_at - seen_at) / 60)::int as minutes from sessions where expires_at > now()`
    return (await server.service.rows<{ minutes: number }>(query)).map(({ minutes }) => minutes)
  }
  const browser = server.newBrowser()
  await browser.get(`${server.origin}/oauth2/logout`)
  expect(await readMinutes()).toEqual([10])
  await server.authorize({ browser, parameters: { sub_type: 'user' } })
  expect(await readMinutes()).toEqual([14 * 24 * 60])
  const cookies = browser.cookies().filter(({ name }) => name.startsWith('qt_session'))
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  await browser.submit(await readAccount(server, browser), {}, '/sign-out-everywhere')
  expect(await readMinutes()).toEqual([])
  await fetch(`${server.origin}/oauth2/authorize?client_id=x`, { headers: { cookie } })
  expect(await readMinutes()).toEqual([10])
})

test.each<[string, string, Record<string, string>]>([
  ['signing out everywhere', '/sign-out-everywhere', {}],
  ['a changed password', '/password', { ...changed, end_others: 'yes' }],
])('a sign-in with the old password that has not continued starts no session after %s', async (_, path, fields) => {
  await using server = await startAuthorizationServer()
  const [thief, owner] = [server.newBrowser(), server.newBrowser()]
  const { client_id, redirect_uri } = server.client
  const request = { client_id, redirect_uri, scope: server.scope }
  const form = await thief.get(authorizationUrl(server.origin, { ...request, sub_type: 'user' }))
  const cookie = thief
    .cookies()
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  const action = /<form method="post" action="([^"]+\/sign-in)"/.exec(form.body)?.[1] ?? ''
  const csrf = /name="csrf" value="([^"]+)"/.exec(form.body)?.[1] ?? ''
  const body = new URLSearchParams({ csrf, ...server.person })
  const signedIn = await fetch(new URL(action, form.url), { method: 'POST', body, headers: { cookie }, redirect: 'manual' })
  const next = signedIn.headers.get('location') ?? ''
  expect(next).toContain('/oauth2/authorize/')
  await signIn(server, owner)
  const page = await owner.get(`${server.origin}/oauth2/account${path === '/password' ? path : ''}`)
  await owner.submit(page, fields, path)
  await thief.get(new URL(next, form.url).href)
  expect((await readAccount(server, thief)).body).toContain('name="password"')
})
