import { eventually } from '@quittance/testing/eventually'
import { callApi } from '@quittance/testing/system'
import { exchangeCode, type OAuthClient, type Person } from '@quittance/testing/oauth-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findOverflow,
  launchChromium,
  openVisit,
  press,
  screenshot,
  setValue,
  type Browser,
  type CDPSession,
  type Page,
  type Protocol,
} from '../browser/chromium.ts'
import { readFocused, findLowContrast, findUnlabelled } from './accessibility-checks.ts'
import { startCallbackServer, type CallbackServer } from './callback-server.ts'
import { createAccount, useSharedProvider, type RunningProvider } from './provider.ts'

/** Contains no line-break opportunity, and every part is HTML markup. */
const longName = `<b>${'Wolfeschlegelsteinhausenbergerdorff&'.repeat(5)}</b>`.slice(0, 200)
const markupName = `<script>alert("1")</script> & Söhne's`

const person: Person = { email: 'ada@example.com', password: 'correct horse battery' }

let provider: RunningProvider
let browser: Browser
let application: CallbackServer
/** Created by the operator. */
let client: OAuthClient
/** Registered by a user, with a long name. */
let unverified: OAuthClient

beforeAll(async () => {
  application = await startCallbackServer()
  ;[provider, browser] = await Promise.all([useSharedProvider(), launchChromium()])
  const { redirectUri: redirect_uri } = application
  const createCommand = ['client', 'create', '--name', 'Ledger', '--redirect-uri', redirect_uri, '--scopes', 'openid,email,orders:read']
  client = { ...(await provider.runOperatorCommand<OAuthClient>(...createCommand)), redirect_uri }
  const body = { client_name: longName, redirect_uris: [redirect_uri], scope: 'openid email orders:read' }
  const token = provider.system.demo.personal_access_token
  const registered = await callApi(`${provider.baseUrl}/v1/oauth2/register`, { method: 'POST', token, body })
  unverified = { ...registered.body, redirect_uri }
  const account = await createAccount(provider, person)
  for (const [name, slug] of [
    ['Harbour Books', 'ada-books'],
    [markupName, 'soehne'],
  ] as const) {
    await provider.runOperatorCommand('organization', 'create', '--name', name, '--slug', slug, '--owner', account.id)
  }
})
afterAll(async () => {
  await browser.close()
  await application[Symbol.asyncDispose]()
})

function startAuthorization(page: Page, parameters: Record<string, string> = {}, { client_id, redirect_uri } = client) {
  const scope = 'openid email orders:read'
  return page.goto(provider.authorizationUrl({ client_id, redirect_uri, scope, state: 'a state', ...parameters }))
}

async function signIn(page: Page, { email, password } = person): Promise<void> {
  await setValue(page, '#email', '')
  await page.type('#email', email)
  await page.type('#password', password)
  await press(page, 'button.primary')
}

/** Continues the response with a policy that also allows form submissions only to its own origin. */
async function narrowPolicy(
  devTools: CDPSession,
  { requestId, responseStatusCode = 200, responseHeaders = [] }: Protocol.Fetch.RequestPausedEvent,
) {
  if (responseStatusCode !== 200) return devTools.send('Fetch.continueRequest', { requestId })
  const { body } = await devTools.send('Fetch.getResponseBody', { requestId })
  const narrowedHeaders = responseHeaders.map(({ name, value }) => ({
    name,
    value: name.toLowerCase() === 'content-security-policy' ? `${value}; form-action 'self'` : value,
  }))
  return devTools.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders: narrowedHeaders, body })
}

const readText = (page: Page) => page.$eval('body', (body) => body.textContent)
const allow = 'button[value=allow]'
const deny = 'button[value=deny]'

describe('without scripts', () => {
  test('shows a wrong password beside its field; a right one leads to consent and a valid code', async () => {
    await using window = await openVisit(browser, { scripts: false })
    const { page, complaints } = window
    await startAuthorization(page)
    await screenshot(page, 'oauth-sign-in')
    await eventually(async () => expect(await readFocused(page)).toMatchObject({ name: 'email' }))
    await signIn(page, { ...person, password: 'wrong' })
    await screenshot(page, 'oauth-sign-in-wrong')
    expect(await page.title()).toMatch(/^Error/)
    await eventually(async () => expect(await readFocused(page)).toMatchObject({ name: 'password' }))
    const [field, error] = [await page.$('#password'), await page.$('#password[aria-invalid=true] ~ #error[role=alert]')]
    expect(await field?.evaluate((input) => input.getAttribute('aria-describedby'))).toBe('error')
    expect(await error?.evaluate((element) => element.textContent)).toBe('E-mail address or password is wrong.')
    expect(await page.$eval('#email', (input) => (input as unknown as { value: string }).value)).toBe(person.email)
    await page.type('#password', person.password)
    await press(page, 'button.primary')
    await screenshot(page, 'oauth-consent')
    const pageText = await readText(page)
    for (const words of [
      'Allow Ledger to use your organization?',
      'Read orders and their invoices',
      person.email,
      new URL(client.redirect_uri).host,
    ]) {
      expect(pageText).toContain(words)
    }
    await page.click('label.choice:first-of-type')
    await screenshot(page, 'oauth-consent-chosen')
    const before = application.received.length
    await press(page, allow)
    await screenshot(page, 'oauth-back')
    expect(page.url().startsWith(application.redirectUri)).toBe(true)
    expect(application.received.length).toBe(before + 1)
    const { code = '', ...rest } = application.received.at(-1) ?? {}
    expect(rest).toEqual({ state: 'a state', iss: provider.baseUrl })
    expect(await exchangeCode(provider.baseUrl, { client, code })).toMatchObject({ status: 200 })
    expect(complaints).toEqual([])
  })

  test('a policy with form-action blocks the response to the application', async () => {
    await using window = await openVisit(browser, { scripts: false })
    const { page, complaints } = window
    const devTools = await page.createCDPSession()
    await devTools.send('Fetch.enable', { patterns: [{ urlPattern: '*/oauth2/interaction/*', requestStage: 'Response' }] })
    devTools.on('Fetch.requestPaused', (paused) => void narrowPolicy(devTools, paused))
    await startAuthorization(page, { sub_type: 'user' })
    await signIn(page)
    const before = application.received.length
    await page.click(allow)
    await page.waitForNetworkIdle()
    expect(application.received.length).toBe(before)
    expect(page.url()).not.toContain('/callback')
    expect(complaints.join()).toMatch(/form-action/)
  })

  test('reaches a callback that redirects to another origin after “Allow”, sign-in and sign-out', async () => {
    const { forwardingUri: redirect_uri } = application
    const uris = ['--redirect-uri', redirect_uri, '--post-logout-redirect-uri', redirect_uri]
    const created = await provider.runOperatorCommand<OAuthClient>('client', 'create', '--name', 'Hop', ...uris, '--scopes', 'openid')
    const { client_id } = created
    const begin = (page: Page) => startAuthorization(page, { sub_type: 'user', scope: 'openid' }, { client_id, redirect_uri })
    const expectCallback = (page: Page) => expect(page.url()).toMatch(/^http:\/\/localhost:\d+\/callback/)
    await using first = await openVisit(browser, { scripts: false })
    await begin(first.page)
    await signIn(first.page)
    await press(first.page, allow)
    expectCallback(first.page)
    await using second = await openVisit(browser, { scripts: false })
    await begin(second.page)
    await signIn(second.page)
    expectCallback(second.page)
    const query = new URLSearchParams({ client_id, post_logout_redirect_uri: redirect_uri })
    await second.page.goto(`${provider.authUrl}/oauth2/logout?${query}`)
    await press(second.page, 'button[value=yes]')
    expectCallback(second.page)
    expect([first.complaints, second.complaints]).toEqual([[], []])
  })

  test('denying calls the application back with access_denied', async () => {
    await using window = await openVisit(browser, { scripts: false })
    await startAuthorization(window.page)
    await signIn(window.page)
    await press(window.page, deny)
    expect(application.received.at(-1)).toMatchObject({ error: 'access_denied', state: 'a state' })
    expect(window.complaints).toEqual([])
  })

  test('skips the consent that was given before', async () => {
    await using window = await openVisit(browser, { scripts: false })
    const { page } = window
    await startAuthorization(page, { sub_type: 'user', scope: 'openid' })
    await signIn(page)
    if (!page.url().includes('/callback')) await press(page, allow)
    const before = application.received.length
    await startAuthorization(page, { sub_type: 'user', scope: 'openid' })
    expect(page.url()).toContain('/callback?code=')
    expect(application.received.length).toBe(before + 1)
  })

  test('is usable by keyboard alone, with a visible focus', async () => {
    await using window = await openVisit(browser, { scripts: false })
    const { page } = window
    const next = async (name: string) => {
      await page.keyboard.press('Tab')
      expect(await readFocused(page)).toEqual({ name, isSeen: true })
    }
    await startAuthorization(page, { prompt: 'consent' })
    await eventually(async () => expect(await readFocused(page)).toEqual({ name: 'email', isSeen: true }))
    await page.keyboard.type(person.email)
    await next('password')
    await screenshot(page, 'oauth-keyboard-password')
    await page.keyboard.type(person.password)
    await next('Sign in')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    await next('organization_id')
    await page.keyboard.press('Space')
    expect(await page.$$('input[type=radio]:checked')).toHaveLength(1)
    await screenshot(page, 'oauth-keyboard-organization')
    await next('3 permissions that only read')
    await next('Allow')
    await screenshot(page, 'oauth-keyboard-allow')
    await next('Deny')
    await next('Use another account')
    await page.keyboard.down('Shift')
    await next('Deny')
    await next('Allow')
    await page.keyboard.up('Shift')
    const before = application.received.length
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Space')])
    expect(application.received.length).toBe(before + 1)
    expect(application.received.at(-1)).toHaveProperty('code')
  })

  test('preselects no organization for a user with several; the browser requires a choice', async () => {
    await using window = await openVisit(browser, { scripts: false })
    const { page } = window
    await startAuthorization(page, { prompt: 'consent' })
    await signIn(page)
    expect(await page.$$('input[type=radio]:checked')).toHaveLength(0)
    const url = page.url()
    await page.click(allow)
    expect(page.url()).toBe(url)
    expect(await page.$$('input[type=radio]:invalid')).not.toHaveLength(0)
  })

  test('escapes markup in names and truncates long ones', async () => {
    await using window = await openVisit(browser, { scripts: false })
    const { page, complaints } = window
    await startAuthorization(page, {}, unverified)
    const cut = `${longName.slice(0, 59)}…`
    expect(await readText(page)).toContain(cut)
    await screenshot(page, 'oauth-long-name-sign-in')
    await signIn(page)
    const pageText = await readText(page)
    for (const words of [cut, markupName, 'Not verified.']) expect(pageText).toContain(words)
    expect(await page.$$('main script, main b')).toHaveLength(0)
    await screenshot(page, 'oauth-long-name-consent')
    expect(complaints).toEqual([])
  })
})

describe.each(['light', 'dark'])('in %s', (scheme) => {
  test('text has enough contrast, fields have labels, and a phone does not scroll sideways', async () => {
    await using window = await openVisit(browser, { scripts: false })
    const { page } = window
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.setViewport({ width: 360, height: 740, deviceScaleFactor: 2 })
    const checkPage = async (name: string) => {
      await screenshot(page, `oauth-phone-${scheme}-${name}`)
      expect({ name, tooFaint: await findLowContrast(page), unlabelled: await findUnlabelled(page) }).toEqual({
        name,
        tooFaint: [],
        unlabelled: [],
      })
      expect({ name, overflow: await findOverflow(page) }).toEqual({ name, overflow: 0 })
    }
    await startAuthorization(page, { prompt: 'consent' }, unverified)
    await checkPage('sign-in')
    await signIn(page, { ...person, password: 'wrong' })
    await checkPage('sign-in-wrong')
    await signIn(page)
    await checkPage('consent')
    await page.click('label.choice:last-of-type')
    await checkPage('consent-chosen')
    await startAuthorization(page, { prompt: 'select_account' }, unverified)
    await checkPage('select-account')
    await page.goto(provider.authorizationUrl({ client_id: 'nobody' }))
    await checkPage('error')
    await page.goto(`${provider.authUrl}/oauth2/account`)
    await checkPage('account')
    await page.goto(`${provider.authUrl}/oauth2/logout`)
    await checkPage('sign-out')
    await press(page, 'button[value=yes]')
    await checkPage('signed-out')
    await page.goto(`${provider.authUrl}/oauth2/account`)
    await checkPage('account-sign-in')
  })
})

test('in a wide window the account page lists applications and browsers', async () => {
  await using window = await openVisit(browser, { scripts: false })
  const { page } = window
  await page.setViewport({ width: 1280, height: 900 })
  await startAuthorization(page, { sub_type: 'user' })
  await screenshot(page, 'oauth-wide-sign-in')
  await signIn(page)
  if (!page.url().includes('/callback')) await press(page, allow)
  await page.goto(`${provider.authUrl}/oauth2/account`)
  await screenshot(page, 'oauth-wide-account')
  expect(await readText(page)).toContain('Ledger')
  expect(await readText(page)).toContain('this browser')
})
