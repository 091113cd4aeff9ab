import { createAccount } from '@quittance/contracts/accounts'
import { createClient } from '@quittance/contracts/clients'
import type { Browser } from '@quittance/testing/browser'
import { expect, test, vi } from 'vitest'
import { startDocumentServer } from './document-server.ts'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'
import { askFor, registerThirdParty, tokensFor } from './third-party.ts'

vi.stubEnv('CLIENT_ID_ALLOWED_CIDRS', '127.0.0.0/8')

const operator = { kind: 'operator' } as const
const target = 'https://ledger.example.com/bye'
const metadata = { post_logout_redirect_uris: [target], redirect_uris: ['https://ledger.example.com/callback'] }

function openSignOut(server: AuthorizationServerUnderTest, browser: Browser, parameters: Record<string, string>) {
  const query = new URLSearchParams({ post_logout_redirect_uri: target, state: 'a b', ...parameters })
  return browser.get(`${server.origin}/oauth2/logout?${query}`)
}

const submitsItself = ({ body }: { body: string }) => body.includes('.submit()')

test('redirects no visitor to the address of a client document without an ID token', async () => {
  await using documents = await startDocumentServer()
  await using server = await startAuthorizationServer()
  documents.describe('/client.json', metadata)
  const client_id = `${documents.origin}/client.json`
  await askFor(server, { client: { client_id, redirect_uris: metadata.redirect_uris }, browser: server.newBrowser() })
  const visitor = server.newBrowser()
  const page = await openSignOut(server, visitor, { client_id })
  expect(page.headers.get('content-security-policy')).toContain(`form-action 'self';`)
  const { url, body } = await visitor.submit(page, {}, '/confirm')
  expect([url.origin, url.pathname]).toEqual([server.origin, '/oauth2/logout/success'])
  expect(body).toContain('You are signed out')
})

test('signs out a user, but does not redirect, for a registered client without an ID token of this user', async () => {
  await using server = await startAuthorizationServer()
  const client = await registerThirdParty(server, metadata)
  await server.service.call(createAccount, { email: 'eve@example.com', password: 'another horse' }, operator)
  const eve = { ...server, person: { ...server.person, email: 'eve@example.com', password: 'another horse' } }
  const { body: tokens } = await tokensFor(eve, { client, browser: server.newBrowser() })
  for (const parameters of [{ client_id: client.client_id }, { id_token_hint: tokens.id_token }] as Record<string, string>[]) {
    const browser = server.newBrowser()
    await server.authorize({ browser, parameters: { sub_type: 'user' } })
    const page = await openSignOut(server, browser, parameters)
    expect(page.body).toContain('Sign out?')
    const { url, body } = await browser.submit(page, { logout: 'yes' })
    expect(url.pathname).toBe('/oauth2/logout/success')
    expect(body).toContain('You are signed out')
  }
})

test('redirects a user to a registered client with an ID token of this user and the state', async () => {
  await using server = await startAuthorizationServer()
  const client = await registerThirdParty(server, metadata)
  const browser = server.newBrowser()
  const { body: tokens } = await tokensFor(server, { client, browser })
  const page = await openSignOut(server, browser, { id_token_hint: tokens.id_token })
  expect(page.headers.get('content-security-policy')).not.toContain('form-action')
  expect((await browser.submit(page, { logout: 'yes' })).url.href).toBe(`${target}?state=a+b`)
})

test('names the target to a visitor with an ID token, and redirects after a click only', async () => {
  await using server = await startAuthorizationServer()
  const client = await registerThirdParty(server, metadata)
  const { body: tokens } = await tokensFor(server, { client, browser: server.newBrowser() })
  const visitor = server.newBrowser()
  const page = await openSignOut(server, visitor, { id_token_hint: tokens.id_token })
  expect(submitsItself(page)).toBe(false)
  expect(page.headers.get('content-security-policy')).toContain(`script-src 'none'`)
  expect(page.headers.get('content-security-policy')).not.toContain('form-action')
  expect(page.body).toContain('<bdi>ledger.example.com</bdi>')
  expect((await visitor.submit(page, {}, '/confirm')).url.href).toContain(target)
})

test('redirects a visitor without a click to a client of the operator', async () => {
  await using server = await startAuthorizationServer()
  const request = { ...metadata, name: 'App', scopes: ['openid'] as ['openid'] }
  const { client_id } = await server.service.call(createClient, request, operator)
  const visitor = server.newBrowser()
  const page = await openSignOut(server, visitor, { client_id })
  expect(submitsItself(page)).toBe(true)
  expect((await visitor.submit(page, {}, '/confirm')).url.href).toContain(target)
})

test('accepts a sign-out by POST and redirects with the state, as by GET', async () => {
  await using server = await startAuthorizationServer()
  const client = await registerThirdParty(server, metadata)
  const browser = server.newBrowser()
  const { body: tokens } = await tokensFor(server, { client, browser })
  const fields = { id_token_hint: tokens.id_token, post_logout_redirect_uri: target, state: 'a b&c' }
  const page = await browser.post(`${server.origin}/oauth2/logout`, fields)
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('Sign out?') })
  expect((await browser.submit(page, { logout: 'yes' })).url.href).toBe(`${target}?state=a+b%26c`)
  const { status, headers } = await fetch(`${server.origin}/oauth2/logout`, { method: 'POST', redirect: 'manual' })
  expect([status, headers.get('location')]).toEqual([303, '/oauth2/logout?'])
})
