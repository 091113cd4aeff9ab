import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, setValue, type Browser, type Page } from '../browser/chromium.ts'
import { readMailedCodes, waitForMailedCode } from '../mailed-codes.ts'
import { look } from './look.ts'
import { openShop, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
let baseUrl: string
let portal: string
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
  baseUrl = system.readReadyFile().base_url
  portal = `${baseUrl}/${system.demo.organization.slug}/portal`
})
afterAll(() => browser.close())

const createAddress = (name: string) => `${name}-${crypto.randomUUID()}@example.com`

/** Creates a customer, and returns a link of the seller to the portal. */
async function createCustomer() {
  const email = createAddress('old')
  const { id } = await shop.create('/v1/customers/', { email, name: 'Co De' })
  const session = await shop.create<{ customer_portal_url: string; token: string }>('/v1/customer-sessions/', { customer_id: id })
  return { id, email, url: session.customer_portal_url, token: session.token }
}

async function requestCode(page: Page, email: string): Promise<void> {
  await setValue(page, '[name=email]', email)
  await press(page, 'main button.primary')
}

async function enterCode(page: Page, code: string): Promise<void> {
  await page.type('[name=code]', code)
  await press(page, 'button[value=use]')
}

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a customer changes the address with the code that was mailed to the new one, and stays signed in', async () => {
    const customer = await createCustomer()
    const email = createAddress('new')
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints, requests } = visit
    const name = `update-email-${width}-${scheme}`
    await page.goto(customer.url)
    await page.goto(`${portal}/details?locale=en`)
    await look(page, `${name}-details`)
    await press(page, 'a[href*="/details/email"]')
    await look(page, `${name}-address`)
    await requestCode(page, customer.email.toUpperCase())
    expect(await page.$eval('#field-email-error', (error) => error.textContent)).toBe('This is your address already.')
    await look(page, `${name}-address-error`)
    await requestCode(page, email)
    expect(await readText(page)).toContain(`If ${email} can be used for this account, a code was sent there.`)
    await look(page, `${name}-code`)
    const code = await waitForMailedCode(baseUrl, email)
    await enterCode(page, 'AAA-AAA')
    expect(await page.title()).toMatch(/^Error: /)
    await look(page, `${name}-wrong`)
    expect((await system.api('GET', `/v1/customers/${customer.id}`)).body.email).toBe(customer.email)
    await enterCode(page, ` ${code.toLowerCase().replace('-', ' ')}`)
    expect(page.url()).toBe(`${portal}/details?locale=en&changed=1`)
    expect(await readText(page)).toMatch(/Your e-mail address is changed\.[^]*n\*\*\*@example\.com/)
    await look(page, `${name}-changed`)
    expect((await system.api('GET', `/v1/customers/${customer.id}`)).body).toMatchObject({ email, email_verified: true })
    // The session of the link has ended; that of this browser is a new one.
    const headers = { authorization: `Bearer ${customer.token}` }
    await eventually(async () => expect((await fetch(`${baseUrl}/v1/customer-portal/customers/me`, { headers })).status).toBe(401))
    await page.goto(`${portal}/details/email/code?locale=en`)
    expect(page.url()).toBe(`${portal}/details/email?locale=en`)
    // Neither the addresses nor the code are in an address of a page.
    expect(requests.filter((url) => url.includes('%40') || url.includes('@') || url.includes(code))).toEqual([])
    expect(complaints).toEqual([])
    expect(await readMailedCodes(baseUrl, customer.email)).toEqual([])
  })
})

test('an address that another customer has leads to the same pages, and gets no mail', async () => {
  const other = await createCustomer()
  const read = async (email: string) => {
    const { url } = await createCustomer()
    await using visit = await openVisit(browser, { scripts: false })
    const { page } = visit
    await page.goto(url)
    await page.goto(`${portal}/details/email?locale=en`)
    await requestCode(page, email)
    const sent = await readText(page)
    await enterCode(page, 'AAA-AAA')
    return [page.url(), sent, await readText(page)].map((text) => text.replaceAll(email, '<address>'))
  }
  const free = createAddress('free')
  const pages = await read(other.email)
  expect(await read(free)).toEqual(pages)
  await waitForMailedCode(baseUrl, free)
  expect(await readMailedCodes(baseUrl, other.email)).toEqual([])
})

test('a form with the code that is sent twice changes the address, and shows no error', async () => {
  const { url } = await createCustomer()
  const email = createAddress('twice')
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(url)
  await page.goto(`${portal}/details/email?locale=en`)
  await requestCode(page, email)
  const [once, action] = await page.$eval('form[action$="/details/email/code"]', (form) => {
    const { elements, action: address } = form as unknown as { elements: Record<string, { value: string }>; action: string }
    return [elements['once']?.value ?? '', address] as const
  })
  const cookies = await page.browserContext().cookies()
  const headers = {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    origin: baseUrl,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const body = new URLSearchParams({ code: await waitForMailedCode(baseUrl, email), once, intent: 'use', locale: 'en' }).toString()
  const send = () => fetch(action, { method: 'POST', headers, body, redirect: 'manual' })
  const replies = await Promise.all([send(), send()])
  const details = `${new URL(portal).pathname}/details?locale=en`
  expect(replies.map((reply) => reply.headers.get('location'))).toContain(`${details}&changed=1`)
  // The first has ended the session of the other, which the portal then asks to sign in: at once, or on the page with the details.
  for (const reply of replies) expect([401, 303]).toContain(reply.status)
})
