import { request } from 'node:http'
import { eventually } from '@quittance/testing/eventually'
import type { RunningSystem } from '@quittance/testing/system'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findViolations, launchChromium, openVisit, press, readText, screenshot, type Browser, type Page } from '../browser/chromium.ts'
import { countryField, openShop, orderButton, type Shop } from './shop.ts'

let system: RunningSystem
let browser: Browser
let shop: Shop
beforeAll(async () => {
  ;[system, browser] = await Promise.all([useSharedSystem(), launchChromium()])
  shop = openShop(system)
})
afterAll(() => browser.close())

async function fillIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(url)
  await page.type('[name=customer_email]', `cards-${crypto.randomUUID()}@example.com`)
  await page.type('[name=customer_name]', 'Grace Hopper')
  await page.select(countryField, 'GB')
  await page.click(`[name=confirmation_token_id][value=${token}]`)
}

interface Reply {
  status: number
  retryAfter: number
  text: string
}

/** Sends a POST from an address of this machine that no other test uses. */
function post(url: string, { body, headers }: { body: string; headers: Record<string, string> }): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      localAddress: '127.0.0.77',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const [status = 0, retryAfter] = [response.statusCode, Number(response.headers['retry-after'] ?? 0)]
      response.toArray().then((chunks) => resolve({ status, retryAfter, text: Buffer.concat(chunks).toString() }), reject)
    })
    sent.end(body)
  })
}

test('after ten declines the checkout is failed, and its page has no form [pages 39]', async () => {
  for (const scripts of [true, false]) {
    // Another network than that of the other tests, which the declines would use up.
    const checkout = await shop.checkout({ customer_ip_address: scripts ? '203.0.113.1' : '203.0.113.2' })
    await using visit = await openVisit(browser, { scripts, language: 'en' })
    const { page } = visit
    await fillIn(page, checkout.url, 'ctoken_insufficient_funds')
    for (let count = 1; count < 10; count++) {
      await press(page, orderButton)
      expect(await page.$eval('#field-confirmation_token_id-error', (error) => error.textContent)).toContain('No money was taken')
    }
    await press(page, orderButton)
    const expectEnd = async () => {
      expect(await readText(page)).toContain('This checkout cannot be paid any more')
      expect(await page.$$('main form')).toEqual([])
    }
    await expectEnd()
    await screenshot(page, `failed-${scripts}`)
    expect(await findViolations(page)).toEqual([])
    await page.goto(checkout.url)
    await expectEnd()
    expect((await system.api('GET', `/v1/checkouts/${checkout.id}`)).body.status).toBe('failed')
    const orders = await shop.orders(checkout)
    expect(orders.filter(({ status }) => status === 'paid')).toEqual([])
  }
})

test('after 20 declines an hour an address gets 429 with a time, on the page too; others can buy [pages 40]', async () => {
  const { base_url: baseUrl } = system.readReadyFile()
  const confirm = (secret: string) =>
    post(`${baseUrl}/v1/checkouts/client/${secret}/confirm`, {
      body: JSON.stringify({
        customer_email: `cards-${crypto.randomUUID()}@example.com`,
        customer_billing_address: { country: 'GB' },
        confirmation_token_id: 'ctoken_insufficient_funds',
      }),
      headers: { 'content-type': 'application/json' },
    })
  for (let count = 0; count < 20; count++) {
    const { client_secret } = await shop.checkout()
    expect((await confirm(client_secret)).status).toBe(400)
  }
  const checkout = await shop.checkout()
  const rejected = await confirm(checkout.client_secret)
  expect([rejected.status, JSON.parse(rejected.text).error]).toEqual([429, 'TooManyRequests'])
  expect(rejected.retryAfter).toBeGreaterThan(3_000)
  const form = new URLSearchParams({
    intent: 'order',
    locale: 'en',
    customer_email: 'cards@example.com',
    customer_name: 'Grace Hopper',
    'customer_billing_address.country': 'GB',
    confirmation_token_id: 'ctoken_ok',
    expected_total_amount: '4900',
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const page = await post(checkout.url, { body: form.toString(), headers })
  expect(page.status).toBe(429)
  expect(page.retryAfter).toBeGreaterThan(3_000)
  expect(page.text).toMatch(/Try again after \d\d:\d\d( [AP]M)? UTC/)
  expect(page.text).toContain('value="Grace Hopper"')
  await using visit = await openVisit(browser)
  await fillIn(visit.page, checkout.url, 'ctoken_ok')
  await press(visit.page, orderButton)
  expect(await readText(visit.page)).toContain('Your order is paid.')
})

test('a pending payment is asked for ten minutes, and then the page announces a mail [pages 41]', async () => {
  const checkout = await shop.checkout()
  await using visit = await openVisit(browser, { language: 'en' })
  const { page, requests } = visit
  await fillIn(page, checkout.url, 'ctoken_pending')
  await press(page, orderButton)
  const asked = () => requests.filter((url) => url.endsWith('/state')).length
  await eventually(() => expect(asked()).toBeGreaterThan(0))
  expect(await readText(page)).not.toContain('a mail follows')
  const devTools = await page.createCDPSession()
  const pass = async (seconds: number) => {
    const over = new Promise((resolve) => devTools.once('Emulation.virtualTimeBudgetExpired', resolve))
    await devTools.send('Emulation.setVirtualTimePolicy', { policy: 'pauseIfNetworkFetchesPending', budget: seconds * 1_000 })
    await over
  }
  await pass(300)
  const inFiveMinutes = asked()
  expect(inFiveMinutes).toBeGreaterThan(20)
  await pass(330)
  expect(await readText(page)).toContain('a mail follows as soon as it is paid')
  const last = asked()
  expect(last).toBeLessThan(90)
  await pass(600)
  expect(asked()).toBe(last)
  // Opened again later, it does not begin again.
  await system.rows('orders', `update checkouts set modified_at = now() - interval '11 minutes' where id = $1 returning id`, [checkout.id])
  await using later = await openVisit(browser, { language: 'en' })
  await later.page.goto(`${checkout.url}/confirmation`)
  expect(await readText(later.page)).toContain('a mail follows as soon as it is paid')
  expect(await later.page.$$('[data-poll]')).toEqual([])
  expect(await findViolations(later.page)).toEqual([])
})
