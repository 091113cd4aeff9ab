import { createAccount } from '@quittance/contracts/accounts'
import type { Browser, PageVisit } from '@quittance/testing/browser'
import { authentication, authorizationUrl, postForm, readAuthorizationCode } from '@quittance/testing/oauth-client'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

const eve = { email: 'eve@example.com', password: 'another horse' }

/** Starts the server with a second account and a browser in which Ada is signed in and allowed the client. */
async function startWithEve() {
  const server = await startAuthorizationServer()
  await server.service.call(createAccount, eve, { kind: 'operator' })
  const browser = server.newBrowser()
  await server.authorize({ browser, parameters: { sub_type: 'user' } })
  const ask = (parameters: Record<string, string>, from: Browser = browser) => {
    const { client, scope } = server
    const defaults = { client_id: client.client_id, redirect_uri: client.redirect_uri, scope, sub_type: 'user' }
    return from.get(authorizationUrl(server.origin, { ...defaults, ...parameters }))
  }
  return { server, browser, ask, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Pushes a request and opens the page of its reference (RFC 9126). */
async function openPushed(server: AuthorizationServerUnderTest, browser: Browser, parameters: Record<string, string>) {
  const { client, scope, origin } = server
  const fields = {
    ...authentication(client),
    response_type: 'code',
    redirect_uri: client.redirect_uri,
    scope,
    sub_type: 'user',
    ...parameters,
  }
  const { body } = await postForm(`${origin}/v1/oauth2/par`, fields)
  return browser.get(`${origin}/oauth2/authorize?${new URLSearchParams({ client_id: client.client_id, request_uri: body.request_uri })}`)
}

const asksToAllow = ({ body }: PageVisit) => body.includes('value="allow"')

test('another account that allowed the client before still sees the page of prompt=consent', async () => {
  await using started = await startWithEve()
  const { server, browser, ask } = started
  await server.authorize({ browser: server.newBrowser(), parameters: { sub_type: 'user' } })
  const signIn = await browser.submit(await ask({ prompt: 'consent' }), {}, '/switch')
  expect(signIn.body).toContain('name="password"')
  const consent = await browser.submit(signIn, { ...server.person }, '/sign-in')
  expect(asksToAllow(consent)).toBe(true)
  expect(readAuthorizationCode(await browser.submit(consent, { action: 'allow' }, '/consent'))).toMatch(/^qt_ac_/)
})

test('prompt=select_account offers the account that is signed in, and another one', async () => {
  await using started = await startWithEve()
  const { browser, ask } = started
  const page = await ask({ prompt: 'select_account' })
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('signed in as <bdi>ada@example.com</bdi>') })
  expect(readAuthorizationCode(await browser.submit(page, {}, '/keep-account'))).toMatch(/^qt_ac_/)
  const signIn = await browser.submit(await ask({ prompt: 'select_account' }), {}, '/switch')
  const consent = await browser.submit(signIn, eve, '/sign-in')
  expect(consent.body).toContain('<bdi>eve@example.com</bdi>')
  expect(readAuthorizationCode(await browser.submit(consent, { action: 'allow' }, '/consent'))).toMatch(/^qt_ac_/)
})

test('prompt=select_account and consent shows both pages, also after a change of the account', async () => {
  await using started = await startWithEve()
  const { browser, ask } = started
  const consent = await browser.submit(await ask({ prompt: 'select_account consent' }), {}, '/keep-account')
  expect(asksToAllow(consent)).toBe(true)
  const again = await browser.submit(await browser.submit(consent, {}, '/switch'), eve, '/sign-in')
  expect(asksToAllow(again)).toBe(true)
})

test('prompt=select_account asks for nothing after a sign-in, and cannot be silent', async () => {
  await using started = await startWithEve()
  const { server, ask } = started
  const visitor = server.newBrowser()
  const signIn = await ask({ prompt: 'select_account' }, visitor)
  expect(signIn.body).toContain('name="password"')
  expect(readAuthorizationCode(await visitor.submit(signIn, { ...server.person }, '/sign-in'))).toMatch(/^qt_ac_/)
  expect((await ask({ prompt: 'none select_account' })).url.searchParams.get('error')).toBe('invalid_request')
})

test('a form of the account page from elsewhere selects nothing', async () => {
  await using started = await startWithEve()
  const { browser, ask } = started
  const page = await ask({ prompt: 'select_account' })
  expect((await browser.post(`${page.url.href}/keep-account`, { csrf: 'x' })).status).toBe(400)
})

test('prompt=login is answered by the sign-in of another account', async () => {
  await using started = await startWithEve()
  const { server, browser, ask } = started
  const consent = await browser.submit(await ask({ prompt: 'login consent' }), { ...server.person }, '/sign-in')
  const again = await browser.submit(await browser.submit(consent, {}, '/switch'), eve, '/sign-in')
  expect(again.body).toContain('<bdi>eve@example.com</bdi>')
  expect(asksToAllow(again)).toBe(true)
})

test('a switch continues a pushed request without its parameters in the browser', async () => {
  await using started = await startWithEve()
  const { server, browser } = started
  const page = await openPushed(server, browser, { state: 'confidential', prompt: 'consent' })
  const signIn = await browser.submit(page, {}, '/switch')
  expect(signIn.url.href).toBe(page.url.href)
  expect(signIn.body).not.toContain('confidential')
  const consent = await browser.submit(signIn, eve, '/sign-in')
  const { url } = await browser.submit(consent, { action: 'allow' }, '/consent')
  expect(url.searchParams.get('state')).toBe('confidential')
  expect(url.searchParams.get('code')).toMatch(/^qt_ac_/)
})
