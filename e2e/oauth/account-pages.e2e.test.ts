import { createHmac, randomUUID } from 'node:crypto'
import { callApi } from '@quittance/testing/system'
import type { OAuthClient, Person } from '@quittance/testing/oauth-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOverflow, findViolations, launchChromium, openVisit, press, screenshot, type Browser, type Page } from '../browser/chromium.ts'
import { startCallbackServer, type CallbackServer } from './callback-server.ts'
import { createAccount, useSharedProvider, type RunningProvider } from './provider.ts'

let provider: RunningProvider
let browser: Browser
let application: CallbackServer

beforeAll(async () => {
  ;[provider, browser, application] = await Promise.all([useSharedProvider(), launchChromium(), startCallbackServer()])
})
afterAll(async () => {
  await browser.close()
  await application[Symbol.asyncDispose]()
})

const account = (path = '') => `${provider.authUrl}/oauth2/account${path}`

async function createUser(): Promise<Person & { id: string }> {
  const person = { email: `${randomUUID().slice(0, 8)}@example.com`, password: 'correct horse battery' }
  const { id } = await createAccount(provider, person)
  return { ...person, id }
}

const primaryButton = '.card form:not([data-passkey]) button.primary'

async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.type('#email', email)
  await page.type('#password', password)
  await press(page, primaryButton)
}

const readText = (page: Page) => page.$eval('body', (body) => body.textContent.replaceAll(/\s+/g, ' '))

/**
 * Takes screenshots of a page in both color schemes, on a phone and in a wide window; asserts accessibility and no horizontal scrolling.
 */
async function checkPage(page: Page, name: string): Promise<void> {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    for (const width of [390, 1280]) {
      await page.setViewport({ width, height: 844 })
      await screenshot(page, `oauth-survey-${name}-${scheme}-${width}`)
      expect({ name, overflow: await findOverflow(page) }).toEqual({ name, overflow: 0 })
    }
    expect({ name, scheme, violations: await findViolations(page) }).toEqual({ name, scheme, violations: [] })
  }
}

/** RFC 6238 with the parameters of common authenticator apps, implemented independently: the server must agree with it. */
function totp(secret: string, atMs = Date.now()): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = Array.from(secret)
    .map((character) => alphabet.indexOf(character).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

test('sets up, requests, confirms and replaces an authenticator app without scripts, accessibly', async () => {
  const person = await createUser()
  await using window = await openVisit(browser, { scripts: false })
  const { page, complaints } = window
  await page.goto(account())
  await checkPage(page, 'sign-in')
  await signIn(page, { ...person, password: 'wrong' })
  await checkPage(page, 'sign-in-wrong')
  await page.goto(account('/forgot-password'))
  await checkPage(page, 'forgot-password')
  await page.goto(account())
  await signIn(page, person)
  expect(await readText(page)).toContain(person.email)
  await checkPage(page, 'account-new')
  await page.goto(account('/password'))
  await checkPage(page, 'password')
  await page.goto(account('/totp'))
  await page.click('summary')
  await checkPage(page, 'totp')
  const secret = (await page.$eval('details code', (code) => code.textContent)).replaceAll(' ', '')
  await page.type('#code', '000000')
  await press(page, primaryButton)
  await checkPage(page, 'totp-wrong')
  await page.type('#code', totp(secret))
  await press(page, primaryButton)
  await checkPage(page, 'recovery-codes')
  const recoveryCode = await page.$eval('ul.codes code', (code) => code.textContent)

  await using secondWindow = await openVisit(browser, { scripts: false })
  await secondWindow.page.goto(account())
  await signIn(secondWindow.page, person)
  await checkPage(secondWindow.page, 'second-factor')
  await secondWindow.page.type('#code', '000000')
  await press(secondWindow.page, primaryButton)
  await checkPage(secondWindow.page, 'second-factor-wrong')
  await secondWindow.page.type('#code', totp(secret, Date.now() + 30_000))
  await press(secondWindow.page, primaryButton)
  expect(await readText(secondWindow.page)).toContain('a code is asked after your password')
  await checkPage(secondWindow.page, 'account')

  await using thirdWindow = await openVisit(browser, { scripts: false })
  await thirdWindow.page.goto(account())
  await signIn(thirdWindow.page, person)
  await thirdWindow.page.type('#code', recoveryCode)
  await press(thirdWindow.page, primaryButton)
  expect(await readText(thirdWindow.page)).toContain('9 codes are left')
  await provider.rows(`update sessions set payload = jsonb_set(payload, '{loginTs}', '1') where account_id = $1`, [person.id])
  await thirdWindow.page.goto(account('/password'))
  await checkPage(thirdWindow.page, 'confirm')
  expect([...complaints, ...secondWindow.complaints, ...thirdWindow.complaints]).toEqual([])
})

test('adds a passkey and signs in with it, using the only script of these pages', async () => {
  const person = await createUser()
  await using window = await openVisit(browser)
  const { page, complaints } = window
  const devTools = await page.createCDPSession()
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto(account())
  await checkPage(page, 'sign-in-passkey')
  await signIn(page, person)
  await page.goto(account('/add-passkey'))
  await checkPage(page, 'add-passkey')
  await press(page, 'form[data-passkey] button')
  expect(await readText(page)).toContain('Your passkey is set up')
  await page.goto(account())
  await checkPage(page, 'account-passkey')
  await press(page, 'header.person button')
  await press(page, 'form[data-passkey] button')
  expect(await readText(page)).toContain(person.email)
  await press(page, 'header.person button')
  await signIn(page, person)
  await checkPage(page, 'second-factor-passkey')
  await press(page, 'form[data-passkey] button')
  expect(await readText(page)).toContain('Passkey made with Chrome')
  expect(complaints).toEqual([])
})

test('the operator’s link sets a new password once', async () => {
  const person = await createUser()
  const { url } = await provider.runOperatorCommand<{ url: string }>('account', 'reset-password', '--email', person.email)
  await using window = await openVisit(browser, { scripts: false })
  const { page } = window
  await page.goto(url)
  await checkPage(page, 'reset')
  await page.type('#new_password', 'another horse battery')
  await page.type('#repeated_password', 'another')
  await press(page, primaryButton)
  await checkPage(page, 'reset-wrong')
  await page.type('#new_password', 'another horse battery')
  await page.type('#repeated_password', 'another horse battery')
  await press(page, primaryButton)
  await checkPage(page, 'reset-done')
  await page.goto(url)
  await checkPage(page, 'reset-over')
  await page.goto(account())
  await signIn(page, { ...person, password: 'another horse battery' })
  expect(await readText(page)).toContain(person.email)
})

test('consent names the client, marks money-moving scopes and separates same-named organizations', async () => {
  const person = await createUser()
  const { redirectUri: redirect_uri } = application
  const scope = 'openid email products:read products:write orders:read refunds:read refunds:write customers:read'
  const body = { client_name: 'Ledger Sync', client_uri: 'https://ledger.example.com/about', redirect_uris: [redirect_uri], scope }
  const token = provider.system.demo.personal_access_token
  const registered = await callApi(`${provider.baseUrl}/v1/oauth2/register`, { method: 'POST', token, body })
  const client = { ...registered.body, redirect_uri } as OAuthClient
  await using window = await openVisit(browser, { scripts: false })
  const { page } = window
  const start = (parameters: Record<string, string> = {}) =>
    page.goto(provider.authorizationUrl({ client_id: client.client_id, redirect_uri, scope, ...parameters }))
  await start()
  await checkPage(page, 'sign-in-application')
  await signIn(page, person)
  await checkPage(page, 'organization')
  const slugs = [`north-${randomUUID().slice(0, 6)}`, `south-${randomUUID().slice(0, 6)}`]
  for (const slug of slugs) {
    await provider.runOperatorCommand('organization', 'create', '--name', 'Harbour Books', '--slug', slug, '--owner', person.id)
  }
  await start()
  await checkPage(page, 'consent')
  const consentText = await readText(page)
  const today = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date())
  for (const words of ['Not verified.', 'ledger.example.com', `Registered ${today}`, new URL(redirect_uri).host, ...slugs]) {
    expect(consentText).toContain(words)
  }
  const permissions = await page.$$eval('.scopes h3', (titles) => titles.map(({ textContent }) => textContent))
  expect(permissions).toEqual(['Refunds', 'Products', 'Customers', 'Orders', 'You'])
  expect(await page.$$eval('.scopes .mark', (marks) => marks.map(({ textContent }) => textContent))).toEqual(['Moves money'])
  expect(await page.$$('.scopes details:not([open])')).toHaveLength(1)
  expect(await page.$$('.choice bdi')).toHaveLength(2)
  await start({ sub_type: 'user' })
  await checkPage(page, 'consent-person')
  expect(await readText(page)).toContain('This means all your organizations, also those that you join later')
})

test('error and sign-out pages use plain language', async () => {
  const person = await createUser()
  await using window = await openVisit(browser, { scripts: false })
  const { page } = window
  await page.goto(provider.authorizationUrl({ client_id: 'nobody' }))
  await checkPage(page, 'error-client')
  await page.goto(provider.authorizationUrl({ redirect_uri: 'https://elsewhere.example.com/' }))
  await checkPage(page, 'error-request')
  expect(await page.$eval('.card > p', ({ textContent }) => textContent)).not.toMatch(/redirect_uri|try again/)
  expect(await page.$eval('details', ({ textContent }) => textContent)).toContain('redirect_uri')
  await page.goto(`${provider.authUrl}/oauth2/interaction/unknown`)
  await checkPage(page, 'error-expired')
  await page.goto(account())
  await signIn(page, person)
  await page.goto(`${provider.authUrl}/oauth2/logout`)
  await checkPage(page, 'sign-out')
  const widths = await page.$$eval('.actions button', (buttons) =>
    buttons.map((button) => Math.round(button.getBoundingClientRect().width)),
  )
  expect(widths[0]).toBe(widths[1])
  await press(page, '.actions button:not([value])')
  expect(await readText(page)).toContain('You stay signed in')
  await page.goto(`${provider.authUrl}/oauth2/logout`)
  await press(page, 'button[value=yes]')
  await checkPage(page, 'signed-out')
  await page.goto(`${provider.authUrl}/oauth2/logout`)
  await checkPage(page, 'sign-out-continue')
})
