import { eventually } from '@quittance/testing/eventually'
import { callApi } from '@quittance/testing/system'
import { redeem, type OAuthClient, type Person } from '@quittance/testing/oauth-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  launchChromium,
  openWindow,
  picture,
  startCallbackServer,
  type Browser,
  type CallbackServer,
  type CDPSession,
  type Page,
  type Protocol,
} from './chromium.ts'
import { focused, overflow, tooFaint, unlabelled } from './looks.ts'
import { joinProvider, type RunningProvider } from './provider.ts'

/** Nothing in it can be broken between two words, and all of it would mean something in HTML. */
const longName = `<b>${'Wolfeschlegelsteinhausenbergerdorff&'.repeat(5)}</b>`.slice(0, 200)
const markupName = `<script>alert("1")</script> & Söhne's`

const person: Person = { email: 'ada@example.com', password: 'correct horse battery' }

let provider: RunningProvider
let browser: Browser
let application: CallbackServer
/** Of the operator. */
let client: OAuthClient
/** Registered by somebody, under a long name. */
let unverified: OAuthClient

beforeAll(async () => {
  application = await startCallbackServer()
  ;[provider, browser] = await Promise.all([joinProvider(), launchChromium()])
  const { redirectUri: redirect_uri } = application
  const made = ['client', 'create', '--name', 'Ledger', '--redirect-uri', redirect_uri, '--scopes', 'openid,email,orders:read']
  client = { ...(await provider.operate<OAuthClient>(...made)), redirect_uri }
  const body = { client_name: longName, redirect_uris: [redirect_uri], scope: 'openid email orders:read' }
  const token = provider.system.demo.personal_access_token
  const registered = await callApi(`${provider.baseUrl}/v1/oauth2/register`, { method: 'POST', token, body })
  unverified = { ...registered.body, redirect_uri }
  const account = await provider.operate<{ id: string }>('account', 'create', '--email', person.email, '--password', person.password)
  for (const [name, slug] of [
    ['Harbour Books', 'ada-books'],
    [markupName, 'soehne'],
  ] as const) {
    await provider.operate('organization', 'create', '--name', name, '--slug', slug, '--owner', account.id)
  }
})
afterAll(async () => {
  await browser.close()
  await application[Symbol.asyncDispose]()
})

function start(page: Page, parameters: Record<string, string> = {}, { client_id, redirect_uri } = client) {
  const scope = 'openid email orders:read'
  return page.goto(provider.authorizationUrl({ client_id, redirect_uri, scope, state: 'a state', ...parameters }))
}

/** Presses a button that leads to another page. */
async function press(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click(selector)])
}

async function signIn(page: Page, { email, password } = person): Promise<void> {
  await page.$eval('#email', (field) => ((field as unknown as { value: string }).value = ''))
  await page.type('#email', email)
  await page.type('#password', password)
  await press(page, 'button.primary')
}

/** Gives the page on with a policy that lets forms end at its own address only. */
async function narrow(
  devTools: CDPSession,
  { requestId, responseStatusCode = 200, responseHeaders = [] }: Protocol.Fetch.RequestPausedEvent,
) {
  if (responseStatusCode !== 200) return devTools.send('Fetch.continueRequest', { requestId })
  const { body } = await devTools.send('Fetch.getResponseBody', { requestId })
  const narrowed = responseHeaders.map(({ name, value }) => ({
    name,
    value: value.replace(/form-action 'self'[^;]*/, `form-action 'self'`),
  }))
  return devTools.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders: narrowed, body })
}

const text = (page: Page) => page.$eval('body', (body) => body.textContent)
const allow = 'button[value=allow]'
const deny = 'button[value=deny]'

describe('without scripts', () => {
  test('a wrong password is named beside its field, a right one leads to consent, and the application gets a code that works', async () => {
    await using window = await openWindow(browser)
    const { page, complaints } = window
    await start(page)
    await picture(page, 'sign-in')
    await eventually(async () => expect(await focused(page)).toMatchObject({ name: 'email' }))
    await signIn(page, { ...person, password: 'wrong' })
    await picture(page, 'sign-in-wrong')
    expect(await page.title()).toMatch(/^Error/)
    await eventually(async () => expect(await focused(page)).toMatchObject({ name: 'password' }))
    const [field, error] = [await page.$('#password'), await page.$('#password[aria-invalid=true] ~ #error[role=alert]')]
    expect(await field?.evaluate((input) => input.getAttribute('aria-describedby'))).toBe('error')
    expect(await error?.evaluate((element) => element.textContent)).toBe('E-mail address or password is wrong.')
    expect(await page.$eval('#email', (input) => (input as unknown as { value: string }).value)).toBe(person.email)
    await page.type('#password', person.password)
    await press(page, 'button.primary')
    await picture(page, 'consent')
    const told = await text(page)
    for (const words of [
      'Allow Ledger to use your organization?',
      'Read orders and their invoices',
      person.email,
      new URL(client.redirect_uri).host,
    ]) {
      expect(told).toContain(words)
    }
    await page.click('label.choice:first-of-type')
    await picture(page, 'consent-chosen')
    const before = application.received.length
    await press(page, allow)
    await picture(page, 'back')
    expect(page.url().startsWith(application.redirectUri)).toBe(true)
    expect(application.received.length).toBe(before + 1)
    const { code = '', ...rest } = application.received.at(-1) ?? {}
    expect(rest).toEqual({ state: 'a state', iss: provider.baseUrl })
    expect(await redeem(provider.baseUrl, { client, code })).toMatchObject({ status: 200 })
    expect(complaints).toEqual([])
  })

  test('without the application’s address in the policy the same browser would keep the answer from it', async () => {
    await using window = await openWindow(browser)
    const { page, complaints } = window
    const devTools = await page.createCDPSession()
    await devTools.send('Fetch.enable', { patterns: [{ urlPattern: '*/oauth2/interaction/*', requestStage: 'Response' }] })
    devTools.on('Fetch.requestPaused', (paused) => void narrow(devTools, paused))
    await start(page, { sub_type: 'user' })
    await signIn(page)
    const before = application.received.length
    await page.click(allow)
    await page.waitForNetworkIdle()
    expect(application.received.length).toBe(before)
    expect(page.url()).not.toContain('/callback')
    expect(complaints.join()).toMatch(/form-action/)
  })

  test('denying tells the application', async () => {
    await using window = await openWindow(browser)
    await start(window.page)
    await signIn(window.page)
    await press(window.page, deny)
    expect(application.received.at(-1)).toMatchObject({ error: 'access_denied', state: 'a state' })
    expect(window.complaints).toEqual([])
  })

  test('what was allowed before is not asked again', async () => {
    await using window = await openWindow(browser)
    const { page } = window
    await start(page, { sub_type: 'user', scope: 'openid' })
    await signIn(page)
    if (!page.url().includes('/callback')) await press(page, allow)
    const before = application.received.length
    await start(page, { sub_type: 'user', scope: 'openid' })
    expect(page.url()).toContain('/callback?code=')
    expect(application.received.length).toBe(before + 1)
  })

  test('the keyboard is enough, and always shows where it is', async () => {
    await using window = await openWindow(browser)
    const { page } = window
    const next = async (name: string) => {
      await page.keyboard.press('Tab')
      expect(await focused(page)).toEqual({ name, isSeen: true })
    }
    await start(page, { prompt: 'consent' })
    await eventually(async () => expect(await focused(page)).toEqual({ name: 'email', isSeen: true }))
    await page.keyboard.type(person.email)
    await next('password')
    await picture(page, 'keyboard-password')
    await page.keyboard.type(person.password)
    await next('Sign in')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    await next('organization_id')
    await page.keyboard.press('Space')
    expect(await page.$$('input[type=radio]:checked')).toHaveLength(1)
    await picture(page, 'keyboard-organization')
    await next('Allow')
    await picture(page, 'keyboard-allow')
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

  test('no organization is chosen for somebody who has several: the browser asks for one', async () => {
    await using window = await openWindow(browser)
    const { page } = window
    await start(page, { prompt: 'consent' })
    await signIn(page)
    expect(await page.$$('input[type=radio]:checked')).toHaveLength(0)
    const url = page.url()
    await page.click(allow)
    expect(page.url()).toBe(url)
    expect(await page.$$('input[type=radio]:invalid')).not.toHaveLength(0)
  })

  test('names full of markup are text, and long ones are cut so that the page stays readable', async () => {
    await using window = await openWindow(browser)
    const { page, complaints } = window
    await start(page, {}, unverified)
    const cut = `${longName.slice(0, 59)}…`
    expect(await text(page)).toContain(cut)
    await picture(page, 'long-name-sign-in')
    await signIn(page)
    const told = await text(page)
    for (const words of [cut, markupName, 'Not verified.']) expect(told).toContain(words)
    expect(await page.$$('main script, main b')).toHaveLength(0)
    await picture(page, 'long-name-consent')
    expect(complaints).toEqual([])
  })
})

describe.each(['light', 'dark'])('in %s', (scheme) => {
  test('all text can be read, every field has a label, and a phone does not scroll sideways', async () => {
    await using window = await openWindow(browser)
    const { page } = window
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.setViewport({ width: 360, height: 740, deviceScaleFactor: 2 })
    const look = async (name: string) => {
      await picture(page, `phone-${scheme}-${name}`)
      expect({ name, tooFaint: await tooFaint(page), unlabelled: await unlabelled(page) }).toEqual({ name, tooFaint: [], unlabelled: [] })
      expect({ name, overflow: await overflow(page) }).toEqual({ name, overflow: 0 })
    }
    await start(page, { prompt: 'consent' }, unverified)
    await look('sign-in')
    await signIn(page, { ...person, password: 'wrong' })
    await look('sign-in-wrong')
    await signIn(page)
    await look('consent')
    await page.click('label.choice:last-of-type')
    await look('consent-chosen')
    await page.goto(provider.authorizationUrl({ client_id: 'nobody' }))
    await look('error')
    await page.goto(`${provider.authUrl}/oauth2/account`)
    await look('account')
    await page.goto(`${provider.authUrl}/oauth2/logout`)
    await look('sign-out')
    await press(page, 'button.primary')
    await look('signed-out')
    await page.goto(`${provider.authUrl}/oauth2/account`)
    await look('account-sign-in')
  })
})

test('on a wide window the account page lists applications and browsers', async () => {
  await using window = await openWindow(browser)
  const { page } = window
  await page.setViewport({ width: 1280, height: 900 })
  await start(page, { sub_type: 'user' })
  await picture(page, 'wide-sign-in')
  await signIn(page)
  if (!page.url().includes('/callback')) await press(page, allow)
  await page.goto(`${provider.authUrl}/oauth2/account`)
  await picture(page, 'wide-account')
  expect(await text(page)).toContain('Ledger')
  expect(await text(page)).toContain('this browser')
})
