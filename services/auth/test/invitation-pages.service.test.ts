import { createAccount, inviteMember } from '@quittance/contracts/accounts'
import { createOrganization } from '@quittance/contracts/organizations'
import type { Browser, PageVisit } from '@quittance/testing/browser'
import { userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { startAuthorizationServer, type AuthorizationServerUnderTest } from './start-authorization-server.ts'

const operator = { kind: 'operator' } as const
const password = 'correct horse'

/** Creates Grace's account and invites her to Ada's organization. */
async function startWithInvitation({ isVerified = true } = {}) {
  const server = await startAuthorizationServer()
  const { service, person, organization } = server
  const grace = await service.call(createAccount, { email: 'grace@example.com', password, email_verified: isVerified }, operator)
  const ada = userCaller({ userId: person.id, organizationIds: [organization.id] })
  const invite = (email: string) => service.call(inviteMember, { id: organization.id, email }, ada)
  const { search } = new URL((await invite('grace@example.com')).invitation_url ?? '')
  return { server, grace, invite, link: `${server.origin}/oauth2/account/invitations${search}` }
}

async function signedIn(server: AuthorizationServerUnderTest, email: string): Promise<Browser> {
  const browser = server.newBrowser()
  await browser.submit(await browser.get(`${server.origin}/oauth2/account`), { email, password }, '/sign-in')
  return browser
}

const isMember = async ({ service }: AuthorizationServerUnderTest, accountId: string) =>
  (await service.rows('select from members where account_id = $1', [accountId])).length === 1

async function findInvitationId({ service }: AuthorizationServerUnderTest): Promise<string> {
  const [invitation] = await service.rows<{ id: string }>('select id from invitations')
  return invitation?.id ?? ''
}

const readText = ({ body }: PageVisit) => body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

test('a browser that is not signed in sees the same page for every link', async () => {
  const { server: started, link } = await startWithInvitation()
  await using server = started
  const page = await server.newBrowser().get(link)
  const other = await server.newBrowser().get(link.replace(/token=.*/, 'token=x'))
  expect(page.body).toBe(other.body)
  expect(page.body).not.toContain('Acme Books')
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
})

test('the invited user accepts on the page and becomes a member', async () => {
  const { server: started, link, grace } = await startWithInvitation()
  await using server = started
  const browser = await signedIn(server, 'grace@example.com')
  const page = await browser.get(link)
  expect(readText(page)).toContain('Acme Books invites you to become a member.')
  expect(await isMember(server, grace.id)).toBe(false)
  const done = await browser.submit(page, {}, '/accept')
  expect(done.url.pathname).toBe('/oauth2/account/invitations')
  expect(readText(done)).toContain('You have no open invitations.')
  expect(await isMember(server, grace.id)).toBe(true)
  // A page that was left open.
  expect((await browser.submit(page, {}, '/decline')).status).toBe(200)
  expect(readText(await browser.get(link))).toContain('not open any more')
})

test('the invited user declines on the page and does not become a member', async () => {
  const { server: started, link, grace } = await startWithInvitation()
  await using server = started
  const browser = await signedIn(server, 'grace@example.com')
  expect(readText(await browser.submit(await browser.get(link), {}, '/decline'))).toContain('You have no open invitations.')
  expect(await isMember(server, grace.id)).toBe(false)
})

test('the link shows and accepts nothing in another account or while the address is unverified', async () => {
  const { server: started, link, grace } = await startWithInvitation({ isVerified: false })
  await using server = started
  const id = await findInvitationId(server)
  for (const email of ['ada@example.com', 'grace@example.com']) {
    const browser = await signedIn(server, email)
    const page = await browser.get(link)
    expect(page.body).not.toContain('Acme Books')
    const csrf = await readCsrf(server, browser)
    await browser.post(`${server.origin}/oauth2/account/invitations/accept`, { csrf, invitation_id: id })
    expect(await isMember(server, grace.id)).toBe(false)
  }
  expect(readText(await (await signedIn(server, 'grace@example.com')).get(link))).toContain('not verified')
})

test('rejects a form from another site', async () => {
  const { server: started, grace } = await startWithInvitation()
  await using server = started
  const id = await findInvitationId(server)
  const url = `${server.origin}/oauth2/account/invitations/accept`
  const browser = await signedIn(server, 'grace@example.com')
  expect((await browser.post(url, { csrf: 'x', invitation_id: id })).status).toBe(400)
  expect((await browser.post(url, { csrf: await readCsrf(server, browser), invitation_id: 'x' })).status).toBe(200)
  expect((await server.newBrowser().post(url, { csrf: 'x', invitation_id: id })).body).toContain('Sign in')
  expect(await isMember(server, grace.id)).toBe(false)
})

test('the name of an organization is isolated text on the page', async () => {
  const { server: started, link, grace } = await startWithInvitation()
  await using server = started
  const name = '<b>Bold</b> & Co'
  const caller = userCaller({ userId: server.person.id, organizationIds: [] })
  const { id } = await server.service.call(createOrganization, { name, slug: 'bold' }, caller)
  const ada = userCaller({ userId: server.person.id, organizationIds: [id] })
  await server.service.call(inviteMember, { id, email: grace.email }, ada)
  const page = await (await signedIn(server, grace.email)).get(link)
  expect(page.body).toContain('<bdi>&#60;b&#62;Bold&#60;/b&#62; &#38; Co</bdi>')
  expect(page.body).not.toContain('<b>Bold')
})

/** Returns the form token of this browser's session, from the account page. */
async function readCsrf(server: AuthorizationServerUnderTest, browser: Browser): Promise<string> {
  const { body } = await browser.get(`${server.origin}/oauth2/account`)
  return /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
}
