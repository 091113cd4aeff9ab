import type { RunningSystem } from '@quittance/testing/system'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readMailedCodes, waitForMailedCode } from '../mailed-codes.ts'
import { launchChromium, openVisit, press, readText, setValue, type Browser, type Page } from '../browser/chromium.ts'
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

const createAddress = () => `code-${crypto.randomUUID()}@example.com`

async function createCustomer(): Promise<string> {
  const email = createAddress()
  await shop.create('/v1/customers/', { email, name: 'Co De' })
  return email
}

async function requestCode(page: Page, email: string): Promise<void> {
  await page.type('[name=email]', email)
  await press(page, 'button.primary')
}

describe.each([
  ['with scripts', 390, true, 'dark'],
  ['without scripts', 1280, false, 'light'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a customer without a session gets a code by e-mail, and then the page that was opened [pages 64]', async () => {
    const email = await createCustomer()
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints, requests } = visit
    const name = `sign-in-${width}-${scheme}`
    expect((await page.goto(`${portal}/details`))?.status()).toBe(401)
    await look(page, `${name}-address`)
    await requestCode(page, 'nobody')
    expect(await page.$eval('#field-email-error', (error) => error.textContent)).toContain('name@example.com')
    await look(page, `${name}-address-error`)
    await setValue(page, '[name=email]', '')
    await requestCode(page, email)
    expect(await readText(page)).toContain(email)
    expect(await page.$eval('[name=code]', (field) => field.getAttribute('autocomplete'))).toBe('one-time-code')
    await look(page, `${name}-code`)
    const code = await waitForMailedCode(baseUrl, email)
    await page.type('[name=code]', 'AAA-AAA')
    await press(page, 'button.primary')
    expect(await page.title()).toMatch(/^Error: /)
    await look(page, `${name}-wrong`)
    await page.type('[name=code]', ` ${code.toLowerCase().replace('-', ' ')}`)
    await press(page, 'button.primary')
    expect(page.url()).toBe(`${portal}/details?locale=en`)
    expect(await page.$eval('[name=name]', (field) => (field as unknown as { value: string }).value)).toBe('Co De')
    // The address of the customer and the code are in no address of a page [126].
    expect(requests.filter((url) => url.includes('code-') || url.includes(code))).toEqual([])
    expect(complaints).toEqual([])
    // The session lasts as long as the one of the code: twelve hours.
    const cookie = (await page.browserContext().cookies()).find((each) => each.name === 'qt_portal')
    expect((cookie?.expires ?? 0) * 1000 - Date.now()).toBeGreaterThan(11.9 * 3_600_000)
    await page.goto(`${portal}/sign-in`)
    expect(page.url()).toBe(portal)
  })
})

test('known and unknown addresses lead to the same pages, and no mail goes to an unknown one [pages 63]', async () => {
  const [known, unknown] = [await createCustomer(), createAddress()]
  const read = async (email: string) => {
    await using visit = await openVisit(browser, { scripts: false })
    const { page } = visit
    await page.goto(portal)
    await requestCode(page, email)
    const sent = await readText(page)
    await page.type('[name=code]', 'AAA-AAA')
    await press(page, 'button.primary')
    return [page.url(), sent, await readText(page)].map((text) => text.replaceAll(email, '<address>'))
  }
  const other = await read(unknown)
  expect(await read(known)).toEqual(other)
  await waitForMailedCode(baseUrl, known)
  expect(await readMailedCodes(baseUrl, unknown)).toEqual([])
})

test('a new code ends the earlier one; the fourth request states when to try again, and the last code works [pages 65]', async () => {
  const email = await createCustomer()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(portal)
  await requestCode(page, email)
  const first = await waitForMailedCode(baseUrl, email)
  for (const count of [2, 3]) {
    await press(page, 'button[value=again]')
    expect(await readText(page)).toContain('Earlier codes no longer work')
    await waitForMailedCode(baseUrl, email, { count })
  }
  const [last = ''] = await readMailedCodes(baseUrl, email)
  await press(page, 'button[value=again]')
  expect(await readText(page)).toMatch(/Too many codes[^]*try again in 1\d min/)
  await look(page, 'sign-in-too-many')
  await page.type('[name=code]', first)
  await press(page, 'button.primary')
  expect(await readText(page)).toContain('wrong or has expired')
  await page.type('[name=code]', last)
  await press(page, 'button.primary')
  expect(await readText(page)).toContain('Your account with')
})

/** Sends the form of a page twice at once, as a double press does, and returns where the replies lead to. */
async function sendTwice(page: Page, fields: Record<string, string>): Promise<(string | null)[]> {
  const [action, hidden] = await page.$eval('main form', (form) => {
    const { elements, action: address } = form as unknown as { elements: { type: string; name: string; value: string }[]; action: string }
    const known = [...elements].filter(({ type }) => type === 'hidden').map(({ name, value }) => [name, value] as const)
    return [address, Object.fromEntries(known)] as const
  })
  const cookies = await page.browserContext().cookies()
  const headers = {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    origin: baseUrl,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const body = new URLSearchParams({ ...hidden, ...fields }).toString()
  const send = () => fetch(action, { method: 'POST', headers, body, redirect: 'manual' })
  return (await Promise.all([send(), send()])).map((reply) => reply.headers.get('location'))
}

test('buttons that are pressed twice request one code and sign in once, and no error is shown', async () => {
  const email = await createCustomer()
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  await page.goto(portal)
  const path = new URL(portal).pathname
  expect(await sendTwice(page, { email })).toEqual(Array(2).fill(`${path}/sign-in/code?locale=en`))
  const other = await createCustomer()
  await requestCode(page, other)
  await waitForMailedCode(baseUrl, other)
  expect(await readMailedCodes(baseUrl, email)).toHaveLength(1)
  expect(await sendTwice(page, { intent: 'again' })).toEqual(Array(2).fill(`${path}/sign-in/code?locale=en&again=1`))
  const code = await waitForMailedCode(baseUrl, other, { count: 2 })
  expect(await sendTwice(page, { intent: 'use', code: 'AAA-AAA' })).toEqual([null, null])
  // The same form with the right code, as after a step back.
  expect(await sendTwice(page, { intent: 'use', code })).toEqual(Array(2).fill(`${path}?locale=en`))
  expect(await readMailedCodes(baseUrl, other)).toHaveLength(2)
})

test('a page that is not one of the portal is not opened after the sign-in', async () => {
  const email = await createCustomer()
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(`${portal}/sign-in?next=//evil.example/`)
  await requestCode(page, email)
  await page.type('[name=code]', await waitForMailedCode(baseUrl, email))
  await press(page, 'button.primary')
  expect(page.url()).toBe(`${portal}?locale=en`)
  // The cookie of the sign-in has ended with it.
  await page.goto(`${portal}/sign-in/code`)
  expect(page.url()).toBe(portal)
})

test('signing out ends the session at the API within a second [pages 66]', async () => {
  const customer = await shop.create('/v1/customers/', { email: createAddress() })
  const session = await shop.create<{ customer_portal_url: string; token: string }>('/v1/customer-sessions/', { customer_id: customer.id })
  const readSelf = async () => {
    const headers = { authorization: `Bearer ${session.token}` }
    return (await fetch(`${baseUrl}/v1/customer-portal/customers/me`, { headers })).status
  }
  await using visit = await openVisit(browser)
  const { page } = visit
  await page.goto(session.customer_portal_url)
  expect(await readSelf()).toBe(200)
  await press(page, 'form[action$="/sign-out"] button')
  const endedAt = Date.now()
  await eventually(async () => expect(await readSelf()).toBe(401))
  expect(Date.now() - endedAt).toBeLessThan(1_000)
  await page.goto(session.customer_portal_url)
  expect(page.url()).not.toContain(session.token)
  expect((await page.goto(portal))?.status()).toBe(401)
})
