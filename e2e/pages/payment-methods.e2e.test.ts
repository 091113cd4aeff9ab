import { callApi, type RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, openVisit, press, readText, type Browser, type Page } from '../browser/chromium.ts'
import { look } from './look.ts'
import { sellToCustomer } from './portal-customers.ts'
import { openShop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let plan: { id: string }
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  const price = { amount_type: 'fixed', price_amount: 1_000, price_currency: 'eur' }
  plan = await openShop(system).sell(price, { name: 'Reading plan', recurring_interval: 'month' })
})
afterAll(() => browser.close())

const button = '#add button.primary'

/** Opens a link to the portal, and returns the address of the portal. */
async function openPortal(page: Page, url: string): Promise<string> {
  await page.goto(url)
  return page.url().replace(/\?.*/, '')
}

describe.each([
  ['with scripts', 390, true, 'light'],
  ['without scripts', 1280, false, 'dark'],
] as const)('%s, %i px wide', (...[, width, scripts, scheme]) => {
  test('a customer sees the stored payment method, cannot remove it while a subscription needs it, and can afterwards [pages 117]', async () => {
    const { url, order } = await sellToCustomer(system, plan)
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    await page.goto(url)
    const portal = page.url()
    await press(page, 'a[href*="/payment-methods"]')
    expect(await readText(page)).toMatch(/Sandbox •••• 4242[^]*Expires 12\/2050[^]*Default/)
    await look(page, `methods-${width}-${scheme}`)
    await press(page, 'a[href*="/remove"]')
    await look(page, `methods-${width}-${scheme}-remove`)
    await press(page, 'button[value=remove]')
    expect(await readText(page)).toMatch(/A subscription is charged with this payment method[^]*4242/)
    await look(page, `methods-${width}-${scheme}-in-use`)
    await page.goto(`${portal}/subscriptions/${order.subscription_id}/cancel`)
    await press(page, 'button[value=cancel]')
    await page.goto(`${portal}/payment-methods`)
    await press(page, 'a[href*="/remove"]')
    await press(page, 'button[value=remove]')
    expect(await readText(page)).toMatch(/The payment method is removed[^]*No payment method is stored/)
    expect(complaints).toEqual([])
  })

  test('a payment method is stored without a payment, after one that is declined, and becomes the default if wanted', async () => {
    const { url } = await sellToCustomer(system, plan, 'ctoken_once')
    await using visit = await openVisit(browser, { width, scripts, scheme })
    const { page, complaints } = visit
    const portal = await openPortal(page, url)
    await press(page, 'a[href*="/payment-methods"]')
    await press(page, 'a[href*="/add"]')
    expect(await readText(page)).toMatch(/Add a payment method[^]*Test: no money moves[^]*is stored at once[^]*Make it the default/)
    await look(page, `add-method-${width}-${scheme}`)
    await page.click('input[value=ctoken_insufficient_funds]')
    await page.click('input[name=set_default]')
    await press(page, button)
    expect(await page.title()).toMatch(/^Error: /)
    expect(await page.$eval('#add .error', (element) => element.textContent)).toContain('The payment method was not accepted.')
    await look(page, `add-method-${width}-${scheme}-declined`)
    await page.click('input[value=ctoken_ok]')
    await press(page, button)
    expect(page.url()).toBe(`${portal}/payment-methods?done=default&locale=en`)
    expect(await readText(page)).toMatch(/stored and is the default\.[^]*Default[^]*Make default/)
    expect(await page.$$('.rows > li')).toHaveLength(2)
    await look(page, `add-method-${width}-${scheme}-stored`)
    expect(complaints).toEqual([])
  })
})

test('the first payment method of a customer becomes the default without a choice', async () => {
  const customer = await openShop(system).create('/v1/customers/', { email: `first-${crypto.randomUUID()}@example.com` })
  const session = await openShop(system).create<{ customer_portal_url: string }>('/v1/customer-sessions/', { customer_id: customer.id })
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const portal = await openPortal(page, session.customer_portal_url)
  await page.goto(`${portal}/payment-methods/add`)
  expect(await page.$$('[name=set_default]')).toEqual([])
  await press(page, button)
  expect(await readText(page)).toMatch(/stored and is the default\.[^]*4242/)
})

test('a payment method that its provider has not confirmed is named, and is not listed yet', async () => {
  const { url } = await sellToCustomer(system, plan)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const portal = await openPortal(page, url)
  await page.goto(`${portal}/payment-methods/add`)
  await page.click('input[value=ctoken_pending]')
  await press(page, button)
  expect(await readText(page)).toContain('The payment method is not confirmed yet.')
  expect(await page.$$('.rows > li')).toHaveLength(1)
})

test('the eleventh payment method within an hour is rejected at the form, with the time from which to try again', async () => {
  const { url, token } = await sellToCustomer(system, plan)
  const path = `${system.readReadyFile().base_url}/v1/customer-portal/customers/me/payment-methods`
  for (let tries = 0; tries < 10; tries++)
    expect((await callApi(path, { method: 'POST', token, body: { confirmation_token_id: 'ctoken_expired' } })).status).toBe(400)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const portal = await openPortal(page, url)
  await page.goto(`${portal}/payment-methods/add`)
  const [response] = await Promise.all([page.waitForNavigation(), page.click(button)])
  expect(response?.status()).toBe(429)
  expect(await page.$eval('#errors', (element) => element.textContent)).toMatch(/Try again after \d/)
})

test('a form of another site stores no payment method, and without a session the page asks for the address', async () => {
  const { url, token } = await sellToCustomer(system, plan)
  await using visit = await openVisit(browser, { scripts: false })
  const { page } = visit
  const path = `${await openPortal(page, url)}/payment-methods/add`
  const cookie = (await page.browserContext().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const headers = { cookie, origin: 'https://elsewhere.example', 'content-type': 'application/x-www-form-urlencoded' }
  expect((await fetch(path, { method: 'POST', headers, body: 'confirmation_token_id=ctoken_slow' })).status).toBe(403)
  const listed = await callApi(`${system.readReadyFile().base_url}/v1/customer-portal/customers/me/payment-methods`, {
    method: 'GET',
    token,
  })
  expect((listed.body as { items: unknown[] }).items).toHaveLength(1)
  const anonymous = await fetch(path)
  expect(anonymous.status).toBe(401)
  expect(await anonymous.text()).toContain('value="/payment-methods/add"')
})
