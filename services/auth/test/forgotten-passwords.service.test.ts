import { mailSecretContext } from '@quittance/contracts/customer-codes'
import { accountMailRequested } from '@quittance/contracts/invitations'
import { resetPassword } from '@quittance/contracts/passwords'
import { openSecret } from '@quittance/runtime/encryption'
import { expect, test } from 'vitest'
import type { AuthorizationServerUnderTest } from './start-authorization-server.ts'

const key = Buffer.alloc(32, 5)
process.env['MAIL_KEY'] = key.toString('base64')
const { startAuthorizationServer } = await import('./start-authorization-server.ts')

const operator = { kind: 'operator' } as const
const fresh = 'a new and better password'

const forgotten = (server: AuthorizationServerUnderTest) => `${server.origin}/oauth2/account/forgot-password`

/** Requests a link, and returns the page and what mail gets. */
async function request(server: AuthorizationServerUnderTest, email: string) {
  const browser = server.newBrowser()
  const page = await browser.submit(await browser.get(forgotten(server)), { email })
  return { page, mail: page.status === 200 ? await server.service.nextEvent(accountMailRequested) : null }
}

const openLink = (server: AuthorizationServerUnderTest, { sealed_url, source_id }: { sealed_url: string; source_id: string }) =>
  server.origin +
  openSecret(sealed_url, { keys: [key], context: mailSecretContext('password_reset', source_id) }).slice('http://127.0.0.1:8080'.length)

test('a mailed link sets a new password, once', async () => {
  await using server = await startAuthorizationServer()
  const { page, mail } = await request(server, server.person.email.toUpperCase())
  expect(page.body).toContain('Look into your mailbox')
  expect(mail).toMatchObject({ kind: 'password_reset', recipient: server.person.email })
  const link = openLink(server, mail as NonNullable<typeof mail>)
  const token = new URL(link).searchParams.get('token') ?? ''
  const tables = await server.service.rows('select * from password_resets')
  expect(JSON.stringify([tables, server.service.publishedEvents])).not.toContain(token)
  const browser = server.newBrowser()
  const form = await browser.get(link)
  expect((await browser.submit(form, { new_password: fresh, repeated_password: fresh })).status).toBe(200)
  expect((await browser.get(link)).status).toBe(400)
  const signIn = await browser.get(`${server.origin}/oauth2/account`)
  const account = await browser.submit(signIn, { email: server.person.email, password: fresh }, '/sign-in')
  expect(account.body).toContain('<h1>Your account</h1>')
})

test('an unknown address gets the same page, and the event about it has no recipient', async () => {
  await using server = await startAuthorizationServer()
  const [known, unknown] = [await request(server, server.person.email), await request(server, 'nobody@example.com')]
  expect(unknown.page.body).toBe(known.page.body)
  expect(unknown.mail).toMatchObject({ kind: 'password_reset', recipient: null })
  expect(await server.service.rows('select from password_resets')).toHaveLength(1)
})

test('a fourth request for an address within 15 minutes is rejected, also for an unknown one', async () => {
  await using server = await startAuthorizationServer()
  for (const email of [server.person.email, 'nobody@example.com']) {
    for (let count = 0; count < 3; count++) expect((await request(server, email)).page.status).toBe(200)
    const { page } = await request(server, email)
    expect(page.status).toBe(429)
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

test('two spellings of an address that the database compares as one share the limit of mails', async () => {
  await using server = await startAuthorizationServer()
  for (const email of ['iris@example.com', '\u0130ris@example.com', 'Ir\u0130s@example.com']) {
    expect((await request(server, email)).page.status).toBe(200)
  }
  expect((await request(server, '\u0130r\u0130s@example.com')).page.status).toBe(429)
})

test('a request does not replace a link of the operator that removes second factors', async () => {
  await using server = await startAuthorizationServer()
  const { url } = await server.service.call(resetPassword, { email: server.person.email, remove_second_factors: true }, operator)
  expect((await request(server, server.person.email)).mail).toMatchObject({ recipient: null })
  expect((await server.newBrowser().get(server.origin + url.slice('http://127.0.0.1:8080'.length))).status).toBe(200)
})

test('what is no address is named, and nothing is published', async () => {
  await using server = await startAuthorizationServer()
  const { page } = await request(server, 'ada')
  expect([page.status, page.body.includes('Enter the e-mail address')]).toEqual([400, true])
  expect(await server.service.rows('select from password_resets')).toEqual([])
})
